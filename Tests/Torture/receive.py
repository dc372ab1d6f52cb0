#!/usr/bin/env python3
"""kill -9 of `submit receive` while a phone sends by tus, and its oracle.

   receive.py PROGRAM [KILLS] [SEED]      .build/debug/submit, 100 kills, seed 1 where none are given

PROGRAM's submit-serve lies beside it. A sender speaks tus from its specification alone and knows nothing of the server's
insides. Broken, and told: an offset below one that was answered before, more than a piece sent again, a file that was told
as arrived and is no more, or that has other bytes at a destination, or is there twice.
"""
import hashlib, http.client, json, os, pathlib, random, shutil, signal, socket, ssl, subprocess, sys, tempfile, threading, time

program = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else '.build/debug/submit')
kills = int(sys.argv[2]) if len(sys.argv) > 2 else 100
draw = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
PIECE = 512 << 10
work = pathlib.Path(tempfile.mkdtemp(prefix='submit-receive-'))
places = {name: work / name for name in ('a', 'b')}
environment = {'PATH': os.environ['PATH'], 'HOME': str(work)}
for name, path in places.items():
    path.mkdir()
    subprocess.run([program, 'destinations', 'add', name, '--type', 'file', f'path={path}'], env=environment, check=True,
                   stdout=subprocess.DEVNULL)
faults, done, killed = [], threading.Event(), 0
context = ssl._create_unverified_context()


class Server:
    """The running one: who it is, and where."""
    process = port = link = None
    lock = threading.Lock()

    @classmethod
    def start(cls):
        process = subprocess.Popen(
            [program, 'receive', '--to', 'a,b', '--bind', '127.0.0.1', '--json'], env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        with cls.lock: cls.process = process
        for line in process.stdout:
            fact = json.loads(line)
            if fact['event'] == 'listening': cls.port = fact['port']
            if fact['event'] == 'invite':
                cls.link = fact['url']
                break
        threading.Thread(target=process.stdout.read, daemon=True).start()


def ask(method, path, body=b'', headers={}, within=20):
    connection = http.client.HTTPSConnection('127.0.0.1', Server.port, context=context, timeout=within)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, dict((k.lower(), v) for k, v in answer.getheaders()), answer.read()
    finally:
        connection.close()


def patiently(*request, **options):
    """Until somebody answers: it is killed and comes again."""
    while True:
        try:
            status, headers, body = ask(*request, **options)
            if status < 500: return status, headers, body
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.05)


def send(number, data, bearer):
    name = f'{number:04}.jpg'
    tus = {'Tus-Resumable': '1.0.0', 'Authorization': bearer}
    where, told = None, 0
    while where is None:
        import base64
        status, headers, body = patiently(
            'POST', '/files', headers=tus | {'Upload-Length': str(len(data)), 'Upload-Metadata':
                                             'filename ' + base64.b64encode(name.encode()).decode()})
        if status == 201: where = headers['location']
        else: return faults.append(f'{name}: begun with {status} {body[:200]}')
    path = where if where.startswith('/') else '/' + where.split('/', 3)[3]
    while True:
        status, headers, body = patiently('HEAD', path, headers=tus)
        if status not in (200, 204): return faults.append(f'{name}: asked for with {status}')
        offset = int(headers['upload-offset'])
        if offset < told: faults.append(f'{name}: {offset} is there, and {told} was told')
        if offset == len(data): break
        try:
            status, headers, body = ask(
                'PATCH', path, data[offset:offset + PIECE],
                tus | {'Upload-Offset': str(offset), 'Content-Type': 'application/offset+octet-stream'})
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
            continue
        if status == 204:
            told = max(told, int(headers['upload-offset']))
            if told == len(data): break
        elif status not in (409, 423, 503): return faults.append(f'{name}: sent with {status} {body[:200]}')
        else: time.sleep(0.05)
    arrived.append((name, hashlib.sha256(data).hexdigest()))


def killer():
    global killed
    while killed < kills and not done.is_set():
        time.sleep(draw.choice([0.02, 0.1, 0.3, 0.8]) * draw.random() + 0.01)
        with Server.lock: process = Server.process
        process.send_signal(signal.SIGKILL)
        process.wait()
        killed += 1
        Server.start()
    done.set()


arrived = []
Server.start()
identity, secret = Server.link.split('/r/')[1].split('#')
status, _, body = ask('POST', f'/r/{identity}/claim', json.dumps({'secret': secret, 'bearer': True}),
                      {'Content-Type': 'application/json'})
bearer = 'Bearer ' + json.loads(body)['token']
hand = threading.Thread(target=killer)
hand.start()
count = 0
while not done.is_set():
    batch = []
    for _ in range(3):
        size = draw.choice([40_000, 700_000, 3_000_000, 9_000_000]) + draw.randrange(1000)
        data = b'\xff\xd8\xff\xe0' + draw.randbytes(size)
        batch.append(threading.Thread(target=send, args=(count, data, bearer)))
        count += 1
    for thread in batch: thread.start()
    for thread in batch: thread.join()
hand.join()
deadline = time.time() + 120
report = {}
while time.time() < deadline:
    status, _, body = patiently('GET', '/status', headers={'Authorization': bearer})
    report = {file['name']: file for file in json.loads(body)['changes']['files']}
    if all(report.get(name, {}).get('safe') for name, _ in arrived): break
    time.sleep(0.3)
for name, digest in arrived:
    if not report.get(name, {}).get('safe'): faults.append(f'{name}: told as arrived, and is {report.get(name)}')
    for place, folder in places.items():
        path = folder / name
        if not path.exists(): faults.append(f'{name}: told as arrived, and is not at {place}')
        elif hashlib.sha256(path.read_bytes()).hexdigest() != digest: faults.append(f'{name}: other bytes at {place}')
for place, folder in places.items():
    more = [file.name for file in folder.iterdir() if not file.name.startswith('.') and file.name not in dict(arrived)]
    if more: faults.append(f'{place}: {len(more)} more than were sent: {sorted(more)[:5]}')
Server.process.send_signal(signal.SIGTERM)
Server.process.wait(20)
print(f'{killed} kills, {len(arrived)} files told as arrived, {len(faults)} faults')
for fault in faults[:20]: print(' ', fault)
if faults: print('left to be looked at:', work)
else: shutil.rmtree(work)
sys.exit(1 if faults else 0)
