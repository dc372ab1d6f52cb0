"""Fills a bootstrapped Keystone and prints what a client needs to know, as KEY=value lines:

keystone-seed.py AUTH_URL ADMIN_PASSWORD SERVICE_PASSWORD SWIFT_PORT
"""
import sys

import requests

auth_url, admin_password, service_password, swift_port = sys.argv[1:]


def call(method, path, body=None, token=None):
    answer = requests.request(
        method, auth_url + path, json=body, headers={"X-Auth-Token": token} if token else {},
        proxies={"http": None}, timeout=60)
    answer.raise_for_status()
    return answer


def sign_in(user, password, domain, project):
    return call("POST", "/auth/tokens", {"auth": {
        "identity": {"methods": ["password"], "password": {"user": {
            "name": user, "domain": {"id": domain}, "password": password}}},
        "scope": {"project": {"name": project, "domain": {"id": domain}}}}}).headers["X-Subject-Token"]


admin = sign_in("admin", admin_password, "default", "admin")


def create(kind, path, **fields):
    return call("POST", path, {kind: fields}, admin).json()[kind]


def grant(role, user, project):
    call("PUT", f"/projects/{project['id']}/users/{user['id']}/roles/{roles[role]}", token=admin)


roles = {role["name"]: role["id"] for role in call("GET", "/roles", token=admin).json()["roles"]}
# Swift asks Keystone about others' tokens and keys.
service = create("project", "/projects", name="service", domain_id="default")
swift = create("user", "/users", name="swift", password=service_password, domain_id="default")
grant("admin", swift, service)
grant("service", swift, service)

domain = create("domain", "/domains", name="Photographers")
project = create("project", "/projects", name="photos", domain_id=domain["id"])
user = create("user", "/users", name="tester", password="testing", domain_id=domain["id"])
grant("member", user, project)

create("region", "/regions", id="RegionTwo")
store = create("service", "/services", type="object-store", name="swift")
for region, interface, host in [
    ("RegionOne", "public", "127.0.0.1"), ("RegionOne", "internal", "localhost"),
    ("RegionTwo", "public", "two.localhost"),
]:
    create(
        "endpoint", "/endpoints", service_id=store["id"], region_id=region, interface=interface,
        url=f"http://{host}:{swift_port}/v1/AUTH_%(project_id)s")

token = sign_in("tester", "testing", domain["id"], "photos")
application = call(
    "POST", f"/users/{user['id']}/application_credentials",
    {"application_credential": {"name": "submit", "secret": "application-secret"}}, token,
).json()["application_credential"]
keys = call(
    "POST", f"/users/{user['id']}/credentials/OS-EC2", {"tenant_id": project["id"]}, token).json()["credential"]

for line in {
    "USER": "tester", "USER_ID": user["id"], "PASSWORD": "testing",
    "DOMAIN": "Photographers", "DOMAIN_ID": domain["id"], "PROJECT": "photos", "PROJECT_ID": project["id"],
    "APPLICATION_CREDENTIAL": "submit", "APPLICATION_CREDENTIAL_ID": application["id"],
    "APPLICATION_CREDENTIAL_SECRET": "application-secret",
    "ACCESS_KEY": keys["access"], "SECRET_KEY": keys["secret"],
    "STORAGE_URL": f"http://127.0.0.1:{swift_port}/v1/AUTH_{project['id']}",
    "INTERNAL_STORAGE_URL": f"http://localhost:{swift_port}/v1/AUTH_{project['id']}",
    "REGION_TWO_STORAGE_URL": f"http://two.localhost:{swift_port}/v1/AUTH_{project['id']}",
}.items():
    print("=".join(line))
