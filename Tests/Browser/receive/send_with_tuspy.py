"""Sends a file with tuspy, a tus client that nobody here wrote:  send_with_tuspy.py URL CERTIFICATE STORE FILE [STOP]

The session's token is in SUBMIT_TEST_TOKEN. Each piece goes with its SHA-1. With STOP it leaves after so many bytes, as a
program that was killed; begun again it finds in STORE where the file was. Prints the offset that it went on from."""
import os
import sys

from tusclient import client
from tusclient.storage import filestorage

url, certificate, store, path = sys.argv[1:5]
stop = int(sys.argv[5]) if len(sys.argv) > 5 else None
# What requests believes in.
os.environ["REQUESTS_CA_BUNDLE"] = certificate
tus = client.TusClient(url, headers={"Authorization": f"Bearer {os.environ['SUBMIT_TEST_TOKEN']}"})
uploader = tus.uploader(
    file_path=path, chunk_size=1 << 20, metadata={"filename": os.path.basename(path), "filetype": "image/jpeg"},
    upload_checksum=True, store_url=True, url_storage=filestorage.FileStorage(store))
print(uploader.offset, flush=True)
uploader.upload(stop_at=stop)
