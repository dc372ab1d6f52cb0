"""The work of receive.sh: receive.py PROGRAM ROUNDS.

What arrived waits at a destination that is paused, so that only receiving is measured. nginx answers when the bytes are in the
system's cache; `sync` of its file system comes after, once, as one who copies by hand would call it. submit has each file on disk,
its SHA-256 made and written down, before it answers.
"""
import json, os, pathlib, shutil, statistics, subprocess, sys, tempfile, threading, time, urllib.parse

program, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2])
here = pathlib.Path(__file__).resolve().parent
work = pathlib.Path(tempfile.mkdtemp(prefix='submit-receive-bench-', dir=os.environ.get('TMPDIR', '/var/tmp')))
environment = {'PATH': os.environ['PATH'], 'HOME': str(work)}
SIZES = {'1 GiB': [1 << 30], '2,000 x 100 kB': [100_000] * 2000}


def run(*command): subprocess.run([str(part) for part in command], env=environment, check=True, stdout=subprocess.DEVNULL)


def tell_memory(process, word):
    status = pathlib.Path(f'/proc/{process}/status').read_text()
    return int(next(line for line in status.splitlines() if line.startswith(word)).split()[1]) / 1024


def cpu(process):
    fields = pathlib.Path(f'/proc/{process}/stat').read_text().rsplit(')', 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


class Receiver:
    def __init__(self):
        begun = time.monotonic()
        self.process = subprocess.Popen(
            [program, 'receive', '--to', 'a', '--bind', '127.0.0.1', '--json', '--max-files', '100000', '--max-bytes', '64GiB'],
            env=environment, stdout=subprocess.PIPE, text=True)
        for line in self.process.stdout:
            fact = json.loads(line)
            if fact['event'] == 'listening': self.port, self.milliseconds = fact['port'], (time.monotonic() - begun) * 1000
            if fact['event'] == 'invite':
                self.link = fact['url']
                break
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    @property
    def server(self):
        """submit begins it in its own place, or as a child."""
        children = subprocess.run(['pgrep', '-P', str(self.process.pid)], capture_output=True, text=True).stdout.split()
        return int(children[0]) if children else self.process.pid

    def claim(self):
        invite, secret = self.link.split('/r/')[1].split('#')
        answer = subprocess.run(
            ['curl', '-sk', f'https://127.0.0.1:{self.port}/r/{invite}/claim', '-H', 'Content-Type: application/json', '-d', '@-'],
            input=json.dumps({'secret': secret, 'bearer': True}), capture_output=True, text=True, check=True)
        return json.loads(answer.stdout)['token']

    def end(self):
        self.process.terminate()
        self.process.wait()


def put(sizes, base, header, at_once, name):
    """One curl for all of them."""
    lines = ['insecure', 'http1.1', 'silent', 'show-error', 'no-progress-meter', 'fail', f'header = "{header}"' if header else '']
    if at_once > 1: lines += ['parallel', f'parallel-max = {at_once}']
    for number, size in enumerate(sizes):
        lines += ['next'] if number and at_once == 0 else []
        lines += [f'url = "{base}/{name}-{number}.jpg"', f'upload-file = "{photo(size, number)}"', 'output = "/dev/null"']
    plan = work / 'curl.txt'
    plan.write_text('\n'.join(line for line in lines if line))
    begun = time.monotonic()
    subprocess.run(['curl', '-K', plan], check=True)
    return begun


def photo(size, number):
    path = work / 'photos' / f'{size}-{number}.jpg'
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        with open(path, 'wb') as file:
            file.write(b'\xff\xd8\xff\xe0')
            left = size - 4
            while left > 0:
                file.write(os.urandom(min(left, 1 << 20)))
                left -= 1 << 20
    return path


try:
    (work / 'a').mkdir()
    run(program, 'destinations', 'add', 'a', '--type', 'file', f'path={work}/a')
    run(program, 'pause', 'a')
    nginx = work / 'nginx'
    run(here.parent / 'Servers/nginx-put.sh', 'start', nginx, '--tls')
    values = dict(line.split('=', 1) for line in (nginx / 'env').read_text().splitlines())
    for sizes in SIZES.values():
        for number, size in enumerate(sizes): photo(size, number)
    subprocess.run(['sync', '-f', work])
    begins = []
    for _ in range(7):
        receiver = Receiver()
        begins.append(receiver.milliseconds)
        receiver.end()
    print(f'listening after {statistics.median(begins):.0f} ms ({min(begins):.0f} to {max(begins):.0f}), of `submit receive` as typed')
    receiver = Receiver()
    token = receiver.claim()
    print(f'idle {tell_memory(receiver.server, "VmRSS"):.0f} MiB')
    for name, sizes in SIZES.items():
        for at_once in ([1] if len(sizes) == 1 else [1, 4]):
            ratios, times, costs = [], [], []
            for number in range(rounds):
                pair = {}
                for who in ('submit', 'nginx') if number % 2 else ('nginx', 'submit'):
                    stem = f'{number}-{at_once}-{sizes[0]}'
                    if who == 'nginx':
                        begun = put(sizes, values['TLS_ENDPOINT'], '', at_once, stem)
                        subprocess.run(['sync', '-f', nginx], check=True)
                    else:
                        before = cpu(receiver.server)
                        begun = put(sizes, f'https://127.0.0.1:{receiver.port}/put', f'Authorization: Bearer {token}', at_once, stem)
                        costs.append(cpu(receiver.server) - before)
                    pair[who] = time.monotonic() - begun
                ratios.append(pair['submit'] / pair['nginx'])
                times.append((pair['submit'], pair['nginx']))
                for path in (nginx / 'data').iterdir(): path.unlink()
            ours, theirs = (statistics.median(time[side] for time in times) for side in (0, 1))
            print(f'{name}, {at_once} at once: {statistics.median(ratios):.2f} of nginx ({min(ratios):.2f} to {max(ratios):.2f}); '
                  f'{ours:.2f} s and {theirs:.2f} s; CPU of submit-serve {statistics.median(costs):.2f} s')
    print(f'at the most {tell_memory(receiver.server, "VmHWM"):.0f} MiB')
    receiver.end()
finally:
    subprocess.run([here.parent / 'Servers/nginx-put.sh', 'stop', work / 'nginx'], stdout=subprocess.DEVNULL)
    shutil.rmtree(work, ignore_errors=True)
