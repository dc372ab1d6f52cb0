// Made by scripts/page.sh of what lies in Sources/SubmitServe/Page: change that.

enum PageAssets {
    static let files: [(name: String, text: StaticString)] = [
        (
            "de.json",
            ##"""
            {
              "title": "Fotos senden",
              "where": "An: {destinations}",
              "compare": "Wörter vergleichen",
              "compareHint": "Nimm dieses Gerät am Computer an, wenn dort dieselben Wörter stehen.",
              "photos": "Fotos wählen",
              "originals": "Originaldateien",
              "originalsHint": "Originaldateien kommen, wie sie sind; Fotos wandelt das Telefon vielleicht um und nimmt ihren Ort heraus.",
              "progress": "Fortschritt",
              "count": "{arrived} von {all} angekommen, {safe} überall sicher.",
              "countRefused": "{refused} nicht angenommen.",
              "again": "Noch einmal versuchen",
              "done": "Fertig",
              "lost": "Die Verbindung ist weg. Es geht von selbst weiter.",
              "failed": "Das hat nicht geklappt.",
              "here": "Schon da und überall sicher.",
              "safe": "Überall sicher.",
              "arrived": "Am Computer angekommen.",
              "cancelled": "Zurückgenommen.",
              "expired": "Kam nie ganz an.",
              "sending": "{part} von {whole} gesendet",
              "looking": "Schaut, ob es schon da ist …",
              "waiting": "Wartet, bis es dran ist.",
              "missing": "Unfertig: wähle es noch einmal, dann geht es weiter.",
              "chooseAgain": "{missing} unfertig: wähle dieselben Fotos noch einmal, sie machen dort weiter, wo sie waren.",
              "leaveUnfinished": "{missing} unfertig: wer das jetzt beendet, muss sie neu senden. Beenden?",
              "allSafe": "Alles ist sicher. Du kannst diese Seite schließen.",
              "ended": "Das ist vorbei. Was angekommen ist, bleibt am Computer.",
              "unreadable": "Das Telefon lässt es nicht mehr lesen: wähle es noch einmal.",
              "evidence.verified": "geprüft",
              "evidence.echoed": "Prüfsumme bestätigt",
              "evidence.size": "Größe verglichen",
              "evidence.accepted": "angenommen",
              "evidence.unknown": "gesendet",
              "place.waiting": "wartet",
              "place.running": "unterwegs",
              "place.failed": "gescheitert",
              "place.cancelled": "abgebrochen",
              "code.no-session": "Dieses Gerät ist nicht oder nicht mehr eingelassen: scanne den Code am Computer.",
              "code.expired": "Die Zeit zum Senden ist vorbei: scanne einen neuen Code am Computer.",
              "code.revoked": "Der Computer hat das beendet. Was angekommen ist, bleibt dort.",
              "code.declined": "Der Computer hat dieses Gerät abgelehnt.",
              "placeRemoved": "Das Telefon hat den Ort herausgenommen.",
              "code.invite-claimed": "Ein anderes Gerät hat diesen Code benutzt: scanne einen neuen am Computer.",
              "code.disk-full": "Die Platte des Computers ist voll. Es geht weiter, wenn Platz ist.",
              "code.invite-expired": "Die Zeit für diesen Code ist vorbei: lass dir einen neuen zeigen.",
              "code.invite-revoked": "Dieser Code wurde zurückgezogen: lass dir einen neuen zeigen.",
              "code.invite-locked": "Dieser Code wurde zu oft falsch versucht: lass dir einen neuen zeigen.",
              "code.invite-spent": "Alles, was dieser Code erlaubt, ist da: lass dir einen neuen zeigen.",
              "code.wrong-secret": "Das ist nicht der Link, der gezeigt wurde: scanne den Code noch einmal."
            }

            """##
        ),
        (
            "en.json",
            ##"""
            {
              "title": "Send photos",
              "where": "To: {destinations}",
              "compare": "Compare the words",
              "compareHint": "Accept this device at the computer if it shows the same words.",
              "photos": "Choose photos",
              "originals": "Original files",
              "originalsHint": "Original files come as they are; photos may be converted by the phone, and lose their place.",
              "progress": "Progress",
              "count": "{arrived} of {all} arrived, {safe} safe everywhere.",
              "countRefused": "{refused} not taken.",
              "again": "Try again",
              "done": "Done",
              "lost": "The line is lost. It goes on by itself.",
              "failed": "This did not work.",
              "here": "Already here, and safe everywhere.",
              "safe": "Safe everywhere.",
              "arrived": "Arrived at the computer.",
              "cancelled": "Taken back.",
              "expired": "It never came whole.",
              "sending": "{part} of {whole} sent",
              "looking": "Looking whether it is there already …",
              "waiting": "Waiting for its turn.",
              "missing": "Unfinished: choose it again to go on.",
              "chooseAgain": "{missing} unfinished: choose the same photos again, and they go on where they were.",
              "leaveUnfinished": "{missing} unfinished: whoever ends this now has to send them anew. End it?",
              "allSafe": "All of it is safe. You may close this page.",
              "ended": "This is over. What has arrived stays at the computer.",
              "unreadable": "The phone does not let it be read any more: choose it again.",
              "evidence.verified": "verified",
              "evidence.echoed": "digest echoed",
              "evidence.size": "size compared",
              "evidence.accepted": "accepted",
              "evidence.unknown": "sent",
              "place.waiting": "waiting",
              "place.running": "on its way",
              "place.failed": "failed",
              "place.cancelled": "cancelled",
              "code.no-session": "This device has not been let in, or no longer: scan the code at the computer.",
              "code.expired": "The time to send is over: scan a new code at the computer.",
              "code.revoked": "The computer has ended this. What has arrived stays there.",
              "code.declined": "The computer said no to this device.",
              "placeRemoved": "The phone removed the place from it.",
              "code.invite-claimed": "Another device has used this code: scan a new one at the computer.",
              "code.disk-full": "The computer's disk is full. It goes on when there is room.",
              "code.invite-expired": "The time to use this code is over: ask for a new one.",
              "code.invite-revoked": "This code was withdrawn: ask for a new one.",
              "code.invite-locked": "This code was tried with wrong secrets too often: ask for a new one.",
              "code.invite-spent": "All that this code allows has arrived: ask for a new one.",
              "code.wrong-secret": "This is not the link that was shown: scan the code again."
            }

            """##
        ),
        (
            "form.html",
            ##"""
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <title>submit</title>
            <link rel="icon" href="{{assets}}/icon.svg">
            <link rel="stylesheet" href="{{assets}}/page.css">
            </head>
            <body>
            <header><h1>Send photos</h1></header>
            <main>
            {{notices}}
            <form method="post" action="/form" enctype="multipart/form-data">
            <p><label>Photos and videos <input type="file" name="files" multiple required></label></p>
            <p><button>Send</button></p>
            </form>
            <h2>What has arrived</h2>
            <ul id="files">{{files}}</ul>
            <p><a href="/form">Look again</a></p>
            </main>
            </body>
            </html>

            """##
        ),
        (
            "icon.svg",
            ##"""
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#0b5cad"/><path d="M4 8.5l3 3 5-7" fill="none" stroke="#fff" stroke-width="2"/></svg>

            """##
        ),
        (
            "index.html",
            ##"""
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <title>submit</title>
            <link rel="icon" href="{{assets}}/icon.svg">
            <link rel="stylesheet" href="{{assets}}/page.css">
            <script type="module" src="{{assets}}/main.js"></script>
            </head>
            <body>
            <header>
            <h1 data-text="title">Send photos</h1>
            <p id="where"></p>
            </header>
            <main data-assets="{{assets}}">
            <p id="notice" role="status"></p>
            <section id="words" hidden>
            <h2 data-text="compare">Compare the words</h2>
            <p class="words" id="word-list"></p>
            <p data-text="compareHint">Accept this device at the computer if it shows the same words.</p>
            </section>
            <section id="choose" hidden>
            <label class="button"><span data-text="photos">Choose photos</span><input id="photos" type="file" multiple accept="image/*,image/heic,image/heif,video/*"></label>
            <label class="button second"><span data-text="originals">Original files</span><input id="originals" type="file" multiple></label>
            <p class="hint" data-text="originalsHint">Original files come as they are; photos may be converted by the phone.</p>
            </section>
            <section id="overall" hidden>
            <h2 id="overall-title" data-text="progress">Progress</h2>
            <progress id="all" max="1" value="0" aria-labelledby="overall-title"></progress>
            <p id="count"></p>
            <p id="summary" role="status" class="unseen"></p>
            <p class="actions"><button id="again" type="button" hidden data-text="again">Try again</button>
            <button id="done" type="button" hidden data-text="done">Done</button></p>
            </section>
            <ul id="files"></ul>
            <template id="row"><li><p class="name"></p><progress max="1" value="0"></progress><p class="state"></p><ul class="places"></ul></li></template>
            </main>
            <noscript>
            <form method="post" action="{{claim}}">
            <p>No script runs here. Type what stands behind # in the link that the computer shows:</p>
            <p><label>Secret <input name="secret" autocomplete="off" autocapitalize="none" spellcheck="false" required></label>
            <button>Go on</button></p>
            </form>
            </noscript>
            </body>
            </html>

            """##
        ),
        (
            "ja.json",
            ##"""
            {
              "title": "写真を送る",
              "where": "送り先: {destinations}",
              "compare": "言葉を比べてください",
              "compareHint": "コンピューターに同じ言葉が出ていたら、そこで許可してください。",
              "photos": "写真を選ぶ",
              "originals": "元のファイル",
              "originalsHint": "元のファイルはそのまま送られます。写真は端末が変換し、撮影場所を消すことがあります。",
              "progress": "進み具合",
              "count": "{all} 件中 {arrived} 件が到着、{safe} 件がすべての場所で安全です。",
              "countRefused": "{refused} 件は受け付けられませんでした。",
              "again": "もう一度試す",
              "done": "完了",
              "lost": "接続が切れました。自動的に再開します。",
              "failed": "うまくいきませんでした。",
              "here": "すでにあり、すべての場所で安全です。",
              "safe": "すべての場所で安全です。",
              "arrived": "コンピューターに届きました。",
              "cancelled": "取り消されました。",
              "expired": "最後まで届きませんでした。",
              "sending": "{whole} 中 {part} 送信",
              "looking": "すでにあるか確認中…",
              "waiting": "順番待ちです。",
              "missing": "途中です。もう一度選ぶと続きから送ります。",
              "chooseAgain": "{missing} 件が途中です。同じ写真をもう一度選ぶと、続きから送ります。",
              "leaveUnfinished": "未完了が {missing} 件あります。ここで終了すると、もう一度最初から送る必要があります。終了しますか。",
              "allSafe": "すべて安全です。このページを閉じてもかまいません。",
              "ended": "終了しました。届いたものはコンピューターに残ります。",
              "unreadable": "端末がこのファイルを読ませてくれません。もう一度選んでください。",
              "evidence.verified": "検証済み",
              "evidence.echoed": "要約値を確認",
              "evidence.size": "サイズを確認",
              "evidence.accepted": "受理済み",
              "evidence.unknown": "送信済み",
              "place.waiting": "待機中",
              "place.running": "送信中",
              "place.failed": "失敗",
              "place.cancelled": "取り消し",
              "code.no-session": "この端末は許可されていません。コンピューターのコードを読み取ってください。",
              "code.expired": "送信できる時間が過ぎました。新しいコードを読み取ってください。",
              "code.revoked": "コンピューター側で終了しました。届いたものは残ります。",
              "code.declined": "コンピューターがこの端末を拒否しました。",
              "placeRemoved": "端末が撮影場所を消しました。",
              "code.invite-claimed": "このコードは別の端末で使われました。新しいコードを読み取ってください。",
              "code.disk-full": "コンピューターの空き容量がありません。空きができると再開します。",
              "code.invite-expired": "このコードの期限が切れました。新しいコードを読み取ってください。",
              "code.invite-revoked": "このコードは取り消されました。新しいコードを読み取ってください。",
              "code.invite-locked": "間違った試行が多すぎたため、このコードは使えません。新しいコードを読み取ってください。",
              "code.invite-spent": "このコードで送れる分はすべて届きました。新しいコードを読み取ってください。",
              "code.wrong-secret": "表示されたリンクと違います。もう一度コードを読み取ってください。"
            }

            """##
        ),
        (
            "line.js",
            ##"""
            // Requests to the computer, and what comes of a lost line.

            export class Refused extends Error {
              constructor(status, code, message, offset, after) {
                super(message);
                this.status = status;
                this.code = code;
                this.offset = offset;
                this.after = after;
              }
            }

            export class Lost extends Error {}

            // What is worth another try, by itself.
            export function isPassing(error) {
              return error instanceof Lost || (error instanceof Refused && [400, 408, 409, 423, 429, 460, 500, 502, 503, 504, 507].includes(error.status) && !["metadata", "no-length", "no-offset"].includes(error.code)) || error.code === "too-many-unfinished";
            }

            // This device may do nothing more.
            export function isOver(error) {
              return error instanceof Refused && (error.status === 401 || ["expired", "revoked", "declined", "unconfirmed"].includes(error.code) || error.code.startsWith("session-"));
            }

            function reason(text) {
              try {
                return JSON.parse(text).error ?? {};
              } catch {
                return {};
              }
            }

            export async function ask(method, path, { json, headers = {} } = {}) {
              let answer;
              let body = "";
              try {
                answer = await fetch(path, {
                  method,
                  headers: json === undefined ? headers : { ...headers, "Content-Type": "application/json" },
                  body: json === undefined ? undefined : JSON.stringify(json),
                  credentials: "same-origin",
                  cache: "no-store",
                  signal: AbortSignal.timeout ? AbortSignal.timeout(30000) : undefined,
                });
                body = await answer.text();
              } catch {
                throw new Lost("the line is lost");
              }
              if (!answer.ok) throw refused(answer.status, body, (name) => answer.headers.get(name));
              return { headers: answer.headers, value: body && answer.headers.get("Content-Type") === "application/json" ? JSON.parse(body) : undefined };
            }

            function refused(status, body, header) {
              const { code, message } = reason(body);
              const offset = header("Upload-Offset");
              return new Refused(status, code ?? `http-${status}`, message ?? "", offset === null ? undefined : Number(offset), Number(header("Retry-After") ?? 0));
            }

            // `fetch` does not tell how far a body is.
            export function send(path, blob, headers, onProgress) {
              return new Promise((resolve, reject) => {
                const request = new XMLHttpRequest();
                let stall;
                const watch = () => {
                  clearTimeout(stall);
                  stall = setTimeout(() => request.abort(), 45000);
                };
                const lost = () => {
                  clearTimeout(stall);
                  reject(new Lost("the line is lost"));
                };
                request.open("PATCH", path);
                for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
                request.upload.onprogress = (event) => {
                  watch();
                  onProgress(event.loaded);
                };
                request.onload = () => {
                  clearTimeout(stall);
                  if (request.status >= 200 && request.status < 300) resolve(Number(request.getResponseHeader("Upload-Offset")));
                  else reject(refused(request.status, request.responseText, (name) => request.getResponseHeader(name)));
                };
                // Safari calls its own lost connections an abort.
                request.onerror = lost;
                request.onabort = lost;
                request.ontimeout = lost;
                watch();
                request.send(blob);
              });
            }

            // Waits, but no longer than until something says that the line may be there again.
            export function patience(milliseconds) {
              return new Promise((resolve) => {
                const timer = setTimeout(end, milliseconds);
                const signals = [[window, "online"], [window, "pageshow"], [window, "focus"], [document, "visibilitychange"]];
                function end() {
                  clearTimeout(timer);
                  for (const [target, name] of signals) target.removeEventListener(name, end);
                  resolve();
                }
                for (const [target, name] of signals) target.addEventListener(name, end);
              });
            }

            """##
        ),
        (
            "main.js",
            ##"""
            // Puts the parts together: in, choose, send, see.

            import { load, text, refusal } from "./texts.js";
            import { takeSecret, enter, status, listen, leave } from "./session.js";
            import { Queue } from "./queue.js";
            import { keepAwake } from "./wake.js";
            import { show, notice, overall } from "./view.js";

            const secret = takeSecret();
            const part = (id) => document.getElementById(id);
            // By our id of a file, or by its name and time before there is one.
            const entries = new Map();
            const byItem = new Map();
            const changed = new Set();
            let isDrawing = false;
            let stopListening;
            let isEnded = false;
            let isLost = false;

            const queue = new Queue(onItem, end);

            function idOf(url) {
              return url?.split("/").pop();
            }

            function onItem(item) {
              let entry = byItem.get(item);
              const id = idOf(item.url);
              if (!entry) {
                entry = (id && entries.get(id)) ?? { name: item.name };
                entry.item = item;
                byItem.set(item, entry);
                entries.set(id ?? item.key, entry);
              }
              if (id && entries.get(id) !== entry) {
                const other = entries.get(id);
                if (other) {
                  entry.status = other.status;
                  other.row?.remove();
                  changed.delete(other);
                }
                entries.delete(item.key);
                entries.set(id, entry);
              }
              keepAwake(queue.isBusy);
              draw(entry);
            }

            function onFiles(changes) {
              for (const file of changes.files) {
                let entry = entries.get(file.id);
                if (!entry) {
                  if (["cancelled", "expired"].includes(file.state)) continue;
                  entry = { name: file.name };
                  entries.set(file.id, entry);
                }
                entry.status = file;
                draw(entry);
              }
            }

            function draw(entry) {
              changed.add(entry);
              if (isDrawing) return;
              isDrawing = true;
              // A hidden tab is drawn, too, for whoever comes back to it.
              setTimeout(() => {
                isDrawing = false;
                for (const entry of changed) show(entry);
                changed.clear();
                tell(overall(entries.values()));
              }, 100);
            }

            function tell(counts) {
              if (isEnded) return;
              if (isLost) notice(text("lost"));
              else if (counts.missing > 0) notice(text("chooseAgain", counts));
              else if (counts.all > 0 && counts.safe === counts.all) notice(text("allSafe"));
              else notice("");
            }

            function onLine(isGone) {
              if (isLost === isGone) return;
              isLost = isGone;
              tell(overall(entries.values()));
            }

            function end(error) {
              if (isEnded) return;
              isEnded = true;
              queue.stop();
              keepAwake(false);
              stopListening?.();
              part("choose").hidden = true;
              notice(error ? refusal(error.code, error.message) : text("ended"), Boolean(error));
            }

            async function confirmed(first) {
              let report = first;
              while (report.session.state === "unconfirmed") {
                part("words").hidden = false;
                part("word-list").textContent = report.session.words.join(" ");
                await new Promise((resolve) => setTimeout(resolve, 1500));
                report = await status(() => notice(text("lost")));
              }
              part("words").hidden = true;
              notice("");
              return report;
            }

            function begin(report) {
              part("where").textContent = text("where", { destinations: report.terms.destinations.join(", ") });
              part("choose").hidden = false;
              onFiles(report.changes);
              stopListening = listen(onFiles, onLine, (error) => end(error));
              for (const input of [part("photos"), part("originals")]) {
                input.addEventListener("change", () => {
                  queue.add([...input.files]);
                  input.value = "";
                });
              }
              part("again").addEventListener("click", () => queue.again());
              part("done").addEventListener("click", async () => {
                const counts = overall(entries.values());
                if (counts.missing > 0 && !confirm(text("leaveUnfinished", counts))) return;
                try {
                  await leave();
                } finally {
                  end();
                }
              });
            }

            window.addEventListener("beforeunload", (event) => {
              if (queue.isBusy) event.preventDefault();
            });

            try {
              await load(document.querySelector("main").dataset.assets);
              const report = await enter(secret, () => notice(text("lost")));
              notice("");
              begin(await confirmed(report));
            } catch (error) {
              end(error.code ? error : { code: "failed", message: String(error) });
            }

            """##
        ),
        (
            "page.css",
            ##"""
            :root {
              color-scheme: light dark;
              --ink: #1a1c1e;
              --soft: #4a5058;
              --paper: #ffffff;
              --card: #f1f3f6;
              --line: #79808a;
              --blue: #0b5cad;
              --on-blue: #ffffff;
              --good: #17692b;
              --bad: #a3201c;
            }

            @media (prefers-color-scheme: dark) {
              :root {
                --ink: #eceef1;
                --soft: #b8bfc8;
                --paper: #14171a;
                --card: #1f2429;
                --line: #8a929c;
                --blue: #8cc2ff;
                --on-blue: #06223f;
                --good: #7fd693;
                --bad: #ff9c94;
              }
            }

            * { box-sizing: border-box; }

            body {
              margin: 0 auto;
              max-width: 42rem;
              padding: 1rem;
              color: var(--ink);
              background: var(--paper);
              font: 1rem/1.45 system-ui, sans-serif;
              overflow-wrap: anywhere;
            }

            h1 { margin: 0; font-size: 1.5rem; }
            h2 { margin: 0 0 .5rem; font-size: 1.1rem; }
            p { margin: .4rem 0; }
            header p, .hint { color: var(--soft); }
            [hidden] { display: none !important; }

            .button, button {
              display: inline-flex;
              align-items: center;
              justify-content: center;
              position: relative;
              min-height: 3rem;
              padding: .6rem 1.1rem;
              border: 2px solid var(--blue);
              border-radius: .6rem;
              color: var(--on-blue);
              background: var(--blue);
              font: inherit;
              font-weight: 600;
              cursor: pointer;
            }

            .button { width: 100%; margin: .35rem 0; }
            .second, button { color: var(--blue); background: transparent; }
            .button input { position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0; cursor: pointer; }
            .button:focus-within, button:focus-visible, a:focus-visible, input:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
            a { color: var(--blue); }

            section { margin: 1rem 0; }
            .words { font-size: 1.5rem; font-weight: 700; letter-spacing: .02em; }
            #notice:not(:empty), .notice { padding: .7rem .9rem; border-left: .3rem solid var(--blue); background: var(--card); }
            #notice.bad { border-color: var(--bad); }
            .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

            progress { width: 100%; height: .7rem; accent-color: var(--blue); }

            #files { margin: 0; padding: 0; list-style: none; }
            #files > li {
              margin: .5rem 0;
              padding: .6rem .8rem;
              border-radius: .6rem;
              background: var(--card);
              content-visibility: auto;
              contain-intrinsic-size: auto 5rem;
            }
            #files p { margin: .1rem 0; }
            .name { font-weight: 600; }
            .state { color: var(--soft); }
            .safe .state, .good { color: var(--good); }
            .refused .state, .bad { color: var(--bad); }
            .places { display: flex; flex-wrap: wrap; gap: .2rem .9rem; margin: .2rem 0 0; padding: 0; list-style: none; }

            @media (prefers-reduced-motion: no-preference) {
              progress { transition: opacity .3s; }
            }

            """##
        ),
        (
            "place.js",
            ##"""
            // Whether the phone took the place out of a photo before the browser got it: Android blanks it, and leaves the room it had.

            const most = 256 << 10;

            export async function isPlaceRemoved(file) {
              try {
                const view = new DataView(await file.slice(0, most).arrayBuffer());
                const tiff = exif(view);
                return tiff === undefined ? false : isBlank(view, tiff);
              } catch {
                return false;
              }
            }

            // Where the TIFF header of a JPEG's Exif is.
            function exif(view) {
              if (view.getUint16(0) !== 0xffd8) return undefined;
              let offset = 2;
              while (offset + 10 < view.byteLength) {
                const marker = view.getUint16(offset);
                if (marker < 0xffc0 || marker === 0xffda) return undefined;
                if (marker === 0xffe1 && view.getUint32(offset + 4) === 0x45786966) return offset + 10;
                offset += 2 + view.getUint16(offset + 2);
              }
              return undefined;
            }

            function isBlank(view, tiff) {
              const little = view.getUint16(tiff) === 0x4949;
              const directory = tiff + view.getUint32(tiff + 4, little);
              const pointer = entry(view, directory, 0x8825, little);
              if (pointer === undefined) return false;
              const places = tiff + view.getUint32(pointer + 8, little);
              const latitude = entry(view, places, 2, little);
              if (latitude === undefined) return entry(view, places, 4, little) === undefined;
              const values = tiff + view.getUint32(latitude + 8, little);
              for (let index = 0; index < 3; index += 1) {
                if (view.getUint32(values + 8 * index, little) !== 0) return false;
              }
              return true;
            }

            function entry(view, directory, tag, little) {
              const count = view.getUint16(directory, little);
              for (let index = 0; index < count; index += 1) {
                const place = directory + 2 + 12 * index;
                if (view.getUint16(place, little) === tag) return place;
              }
              return undefined;
            }

            """##
        ),
        (
            "queue.js",
            ##"""
            // The files that were chosen, three at a time, each until it is there or refused for good.

            import { ask, patience, isPassing, isOver, Refused } from "./line.js";
            import { isPlaceRemoved } from "./place.js";
            import { upload } from "./tus.js";

            const width = 3;
            const largestDigested = 64 << 20;
            const memory = "submit.uploads";

            export function nameOf(file) {
              return file.webkitRelativePath || file.name;
            }

            function triple(file) {
              return `${nameOf(file)}|${file.size}|${file.lastModified}`;
            }

            function remembered() {
              try {
                return JSON.parse(localStorage.getItem(memory)) ?? {};
              } catch {
                return {};
              }
            }

            function remember(key, url) {
              const all = remembered();
              if (url) all[key] = url;
              else delete all[key];
              const keys = Object.keys(all);
              for (const old of keys.slice(0, Math.max(0, keys.length - 2000))) delete all[old];
              try {
                localStorage.setItem(memory, JSON.stringify(all));
              } catch {
                // Without it, a file begins anew after the page is loaded again.
              }
            }

            // A digest of a whole file needs all of it in memory, one at a time.
            let digesting = Promise.resolve();

            function digest(file) {
              if (!globalThis.crypto?.subtle || file.size > largestDigested) return Promise.resolve(undefined);
              const work = digesting.then(async () => {
                try {
                  const hash = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
                  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
                } catch {
                  return undefined;
                }
              });
              digesting = work;
              return work;
            }

            export class Queue {
              constructor(onChange, onOver) {
                this.items = new Map();
                this.waiting = [];
                this.active = 0;
                this.onChange = onChange;
                this.onOver = onOver;
              }

              get isBusy() {
                return this.active > 0 || this.waiting.length > 0;
              }

              add(files) {
                for (const file of files) {
                  const key = triple(file);
                  const before = this.items.get(key);
                  if (before && before.state !== "missing" && before.state !== "refused") continue;
                  const item = before ?? { key, name: nameOf(file), size: file.size, sent: 0, url: remembered()[key] };
                  item.file = file;
                  item.state = "waiting";
                  item.trouble = undefined;
                  this.items.set(key, item);
                  this.waiting.push(item);
                  this.onChange(item);
                }
                this.work();
              }

              // What was refused, and may be taken now.
              again() {
                const files = [...this.items.values()].filter((item) => item.state === "refused" && item.file).map((item) => item.file);
                for (const file of files) this.items.get(triple(file)).url = undefined;
                this.add(files);
              }

              stop() {
                this.waiting = [];
              }

              work() {
                while (this.active < width && this.waiting.length > 0) {
                  const item = this.waiting.shift();
                  this.active += 1;
                  this.run(item).finally(() => {
                    this.active -= 1;
                    this.onChange(item);
                    this.work();
                  });
                }
              }

              set(item, state, trouble) {
                item.state = state;
                item.trouble = trouble;
                this.onChange(item);
              }

              async run(item) {
                try {
                  this.set(item, "looking");
                  item.isPlaceRemoved = await isPlaceRemoved(item.file);
                  item.digest = await digest(item.file);
                  if (!item.url && item.digest && (await this.isThere(item))) return this.set(item, "here");
                  this.set(item, "sending");
                  await upload(item, {
                    onUrl: (item) => remember(item.key, item.url),
                    onProgress: (sent) => {
                      item.sent = sent;
                      this.onChange(item);
                    },
                    onTrouble: (error) => {
                      item.trouble = error;
                      this.onChange(item);
                    },
                  });
                  this.set(item, "sent");
                } catch (error) {
                  if (isOver(error)) {
                    this.set(item, "waiting");
                    this.stop();
                    this.onOver(error);
                  } else {
                    remember(item.key, undefined);
                    this.set(item, "refused", error);
                  }
                }
              }

              // Asked before any byte is sent; where nobody can tell, it is sent.
              async isThere(item) {
                for (let tries = 0; ; tries += 1) {
                  try {
                    const { value } = await ask("POST", "/offer", { json: { files: [{ name: item.name, size: item.size, sha256: item.digest, modified: item.file.lastModified, type: item.file.type }] } });
                    const answer = value?.files?.[0] ?? {};
                    if (answer.answer === "refuse") throw new Refused(422, answer.code, answer.message);
                    return answer.answer === "have";
                  } catch (error) {
                    if (!isPassing(error)) throw error;
                    this.set(item, "looking", error);
                    await patience(Math.min(15000, 400 * 2 ** Math.min(tries, 6)));
                  }
                }
              }
            }

            """##
        ),
        (
            "session.js",
            ##"""
            // How this device is let in, and what it is told of its files.

            import { ask, patience, Lost } from "./line.js";

            function device() {
              const agent = navigator.userAgent;
              const model = /Android [^;]*; ([^;)]+)/.exec(agent)?.[1];
              if (model && model !== "K") return model.slice(0, 40);
              const names = ["iPhone", "iPad", "Android", "Macintosh", "Windows", "Linux"];
              return names.find((name) => agent.includes(name)) ?? "browser";
            }

            // The same for a code, however often it is tried: an answer may get lost.
            function attempt(invite) {
              const key = `submit.attempt.${invite}`;
              let text = null;
              try {
                text = localStorage.getItem(key);
              } catch {
                // Then it is for this page only.
              }
              if (!text) {
                const bytes = crypto.getRandomValues(new Uint8Array(18));
                text = btoa(String.fromCharCode(...bytes));
                try {
                  localStorage.setItem(key, text);
                } catch {
                  // As above.
                }
              }
              return text;
            }

            // Takes the secret out of the address before anything else can read it there.
            export function takeSecret() {
              const secret = location.hash.slice(1);
              if (location.hash) history.replaceState(null, "", location.pathname);
              return secret;
            }

            async function patiently(work, onLost) {
              for (let tries = 0; ; tries += 1) {
                try {
                  return await work();
                } catch (error) {
                  if (!(error instanceof Lost)) throw error;
                  onLost();
                  await patience(Math.min(10000, 500 * 2 ** Math.min(tries, 5)));
                }
              }
            }

            // Exchanges the secret, or else goes on with the session that there is.
            export async function enter(secret, onLost) {
              const invite = location.pathname.split("/")[2] ?? "";
              const status = () => ask("GET", "/status");
              if (secret) {
                try {
                  await patiently(() => ask("POST", `/r/${invite}/claim`, { json: { secret, device: device(), attempt: attempt(invite) } }), onLost);
                } catch (error) {
                  // The code may have been for this very device, some time ago.
                  try {
                    return (await patiently(status, onLost)).value;
                  } catch {
                    throw error;
                  }
                }
              }
              return (await patiently(status, onLost)).value;
            }

            export async function status(onLost) {
              return (await patiently(() => ask("GET", "/status"), onLost)).value;
            }

            export function leave() {
              return ask("DELETE", "/session");
            }

            // Calls back with all that changes, for as long as the page is there.
            export function listen(onFiles, onLost, onEnd) {
              let source;
              let retry;
              function open() {
                clearTimeout(retry);
                source?.close();
                source = new EventSource("/events");
                source.addEventListener("open", () => onLost(false));
                source.addEventListener("files", (event) => onFiles(JSON.parse(event.data)));
                source.addEventListener("end", () => {
                  source.close();
                  onEnd();
                });
                source.addEventListener("error", () => {
                  onLost(true);
                  // A browser tries again by itself only where there was an answer.
                  if (source.readyState === EventSource.CLOSED) {
                    retry = setTimeout(async () => {
                      try {
                        await ask("GET", "/status");
                        open();
                      } catch (error) {
                        if (error instanceof Lost) open();
                        else onEnd(error);
                      }
                    }, 2000);
                  }
                });
              }
              open();
              // A tab that was frozen may hold a line that is long dead.
              const wake = () => {
                if (document.visibilityState === "visible" && source?.readyState !== EventSource.OPEN) open();
              };
              document.addEventListener("visibilitychange", wake);
              window.addEventListener("pageshow", wake);
              window.addEventListener("online", open);
              return () => {
                clearTimeout(retry);
                source?.close();
                document.removeEventListener("visibilitychange", wake);
                window.removeEventListener("pageshow", wake);
                window.removeEventListener("online", open);
              };
            }

            """##
        ),
        (
            "texts.js",
            ##"""
            // Sentences in the language of whoever looks, in plain text.

            const known = ["en", "de", "ja"];
            let texts = {};

            export async function load(assets) {
              const wanted = (navigator.languages ?? [navigator.language]).map((language) => language.slice(0, 2).toLowerCase());
              const language = wanted.find((language) => known.includes(language)) ?? "en";
              const answer = await fetch(`${assets}/${language}.json`);
              texts = await answer.json();
              document.documentElement.lang = language;
              for (const element of document.querySelectorAll("[data-text]")) element.textContent = text(element.dataset.text);
            }

            export function text(key, values = {}) {
              const sentence = texts[key] ?? key;
              return sentence.replace(/\{(\w+)\}/g, (all, name) => values[name] ?? all);
            }

            // What a refusal's code says in this language, or else what the computer said.
            export function refusal(code, message) {
              return texts[`code.${code}`] ?? message ?? text("failed");
            }

            export function bytes(count) {
              const units = ["B", "kB", "MB", "GB", "TB"];
              let unit = 0;
              let value = count;
              while (value >= 999.5 && unit < units.length - 1) {
                value /= 1000;
                unit += 1;
              }
              const digits = unit > 0 && value < 9.95 ? 1 : 0;
              return `${value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: digits })} ${units[unit]}`;
            }

            """##
        ),
        (
            "tus.js",
            ##"""
            // One file by tus 1.0: in pieces, each where the one before ended, until the computer has all of it.

            import { ask, send, patience, isPassing, isOver, Refused, Lost } from "./line.js";

            const version = { "Tus-Resumable": "1.0.0" };
            const chunk = 8 << 20;

            function base64(text) {
              let binary = "";
              for (const byte of new TextEncoder().encode(text)) binary += String.fromCharCode(byte);
              return btoa(binary);
            }

            async function create(item) {
              const values = { filename: item.name, filetype: item.file.type || "application/octet-stream", lastModified: `${item.file.lastModified}` };
              if (item.digest) values.sha256 = item.digest;
              const metadata = Object.entries(values).map(([key, value]) => `${key} ${base64(value)}`).join(",");
              const answer = await ask("POST", "/files", { headers: { ...version, "Upload-Length": `${item.size}`, "Upload-Metadata": metadata } });
              return answer.headers.get("Location");
            }

            async function offset(item) {
              const answer = await ask("HEAD", item.url, { headers: version });
              return Number(answer.headers.get("Upload-Offset"));
            }

            // `item.url` is kept by whoever calls, so that a page that is loaded again goes on.
            export async function upload(item, { onUrl, onProgress, onTrouble }) {
              let tries = 0;
              let position;
              while (true) {
                try {
                  if (!item.url) {
                    item.url = await create(item);
                    onUrl(item);
                    position = 0;
                  } else if (position === undefined) {
                    position = await offset(item);
                  }
                  onProgress(position);
                  // A file that is there may still have to be accepted: the last request says so.
                  while (position < item.size) {
                    const end = Math.min(position + chunk, item.size);
                    const begin = position;
                    position = undefined;
                    const reached = await send(item.url, item.file.slice(begin, end), { ...version, "Content-Type": "application/offset+octet-stream", "Upload-Offset": `${begin}` }, (loaded) => onProgress(begin + loaded));
                    position = reached;
                    tries = 0;
                    onProgress(reached);
                    onTrouble(undefined);
                  }
                  return;
                } catch (error) {
                  position = undefined;
                  if (isOver(error)) throw error;
                  if (error instanceof Refused && item.url && [404, 410].includes(error.status)) {
                    // It is known no more, and begins anew; twice would be no accident.
                    if (item.renewed) throw error;
                    item.renewed = true;
                    item.url = undefined;
                    onUrl(item);
                    continue;
                  }
                  // A file that was changed or taken away while it was read.
                  if (error instanceof Lost && !(await isReadable(item.file))) throw new Refused(0, "unreadable", "");
                  if (!isPassing(error)) throw error;
                  tries += 1;
                  onTrouble(error);
                  await patience(Math.max(1000 * (error.after ?? 0), Math.min(15000, 400 * 2 ** Math.min(tries, 6))));
                }
              }
            }

            async function isReadable(file) {
              try {
                await file.slice(0, 1).arrayBuffer();
                return true;
              } catch {
                return false;
              }
            }

            """##
        ),
        (
            "view.js",
            ##"""
            // What is seen of the files: a row each, with each destination, and how far all of it is.

            import { text, refusal, bytes } from "./texts.js";

            const list = document.getElementById("files");
            const template = document.getElementById("row");

            export function rowFor(entry) {
              if (entry.row) return entry.row;
              const row = template.content.firstElementChild.cloneNode(true);
              row.querySelector(".name").textContent = entry.name;
              row.querySelector("progress").setAttribute("aria-label", entry.name);
              list.prepend(row);
              entry.row = row;
              return row;
            }

            function troubleText(error) {
              // A connection of before is not known to be gone yet: that passes by itself.
              if (!error || error.status === 423) return undefined;
              if (error.status === 507) return refusal("disk-full", error.message);
              if (error.status === undefined) return text("lost");
              return refusal(error.code, error.message);
            }

            // What is on its way or there: of a file that is chosen again after the page was loaded again, what came before counts.
            function sentOf({ item, status }) {
              return Math.max(item?.sent ?? 0, status?.offset ?? 0);
            }

            // What stands behind a name.
            export function stateOf(entry) {
              const { item, status } = entry;
              if (item?.state === "refused") return { kind: "refused", words: item.trouble?.code === "unreadable" ? text("unreadable") : troubleText(item.trouble) ?? text("failed") };
              if (status?.state === "refused") return { kind: "refused", words: refusal(status.code, status.message) };
              if (item?.state === "here") return { kind: "safe", words: text("here") };
              if (status?.safe) return { kind: "safe", words: text("safe") };
              if (status?.state === "arrived") return { kind: "arrived", words: text("arrived") };
              if (status?.state === "cancelled" || status?.state === "expired") return { kind: "gone", words: text(status.state) };
              if (item?.state === "sent") return { kind: "arrived", words: text("arrived") };
              if (item?.state === "sending") return { kind: "sending", words: troubleText(item.trouble) ?? text("sending", { part: bytes(sentOf(entry)), whole: bytes(item.size) }) };
              if (item?.state === "looking") return { kind: "waiting", words: troubleText(item.trouble) ?? text("looking") };
              if (item) return { kind: "waiting", words: text("waiting") };
              return { kind: "missing", words: text("missing") };
            }

            function placeText(place) {
              const words = place.state === "done" ? text(`evidence.${place.evidence ?? "unknown"}`) : text(`place.${place.state}`);
              return `${place.state === "done" ? "✓ " : ""}${place.destination}: ${words}${place.message && place.state !== "done" ? ` – ${place.message}` : ""}`;
            }

            export function show(entry) {
              const row = rowFor(entry);
              const { kind, words } = stateOf(entry);
              row.className = kind;
              const state = row.querySelector(".state");
              const all = entry.item?.isPlaceRemoved ? `${words} ${text("placeRemoved")}` : words;
              if (state.textContent !== all) state.textContent = all;
              const bar = row.querySelector("progress");
              const size = entry.item?.size ?? entry.status?.length ?? 0;
              const sent = sentOf(entry);
              bar.hidden = kind !== "sending" && kind !== "waiting" && kind !== "missing";
              bar.value = size > 0 ? sent / size : 0;
              const places = row.querySelector(".places");
              const wanted = (entry.status?.destinations ?? []).map((place) => ({ words: placeText(place), kind: place.state === "done" ? "good" : place.state === "failed" ? "bad" : "" }));
              const mark = JSON.stringify(wanted);
              if (entry.mark === mark) return;
              entry.mark = mark;
              places.replaceChildren(...wanted.map(({ words, kind }) => {
                const place = document.createElement("li");
                place.textContent = words;
                place.className = kind;
                return place;
              }));
            }

            export function notice(words, isBad = false) {
              const element = document.getElementById("notice");
              if (element.textContent !== words) element.textContent = words;
              element.classList.toggle("bad", isBad);
            }

            let lastSummary = 0;

            // The bar for eyes, often; the sentence for ears, seldom.
            export function overall(entries) {
              const counts = { all: 0, arrived: 0, safe: 0, refused: 0, missing: 0 };
              let size = 0;
              let sent = 0;
              for (const entry of entries) {
                const { kind } = stateOf(entry);
                counts.all += 1;
                const length = entry.item?.size ?? entry.status?.length ?? 0;
                size += length;
                if (kind === "safe" || kind === "arrived") {
                  counts.arrived += 1;
                  sent += length;
                } else {
                  sent += Math.min(length, sentOf(entry));
                }
                if (kind === "safe") counts.safe += 1;
                if (kind === "refused") counts.refused += 1;
                if (kind === "missing") counts.missing += 1;
              }
              document.getElementById("overall").hidden = counts.all === 0;
              document.getElementById("all").value = size > 0 ? sent / size : counts.all > 0 ? 1 : 0;
              const words = text("count", counts) + (counts.refused > 0 ? ` ${text("countRefused", counts)}` : "");
              const count = document.getElementById("count");
              if (count.textContent !== words) count.textContent = words;
              const isOver = counts.arrived + counts.refused === counts.all;
              if (isOver || Date.now() - lastSummary > 8000) {
                lastSummary = Date.now();
                const summary = document.getElementById("summary");
                if (summary.textContent !== words) summary.textContent = words;
              }
              document.getElementById("again").hidden = counts.refused === 0;
              document.getElementById("done").hidden = counts.all === 0 || counts.arrived < counts.all - counts.refused - counts.missing;
              return counts;
            }

            """##
        ),
        (
            "wake.js",
            ##"""
            // Keeps the screen on while something is sent, where the browser lets us.

            let lock;
            let isWanted = false;

            async function take() {
              if (!isWanted || lock || document.visibilityState !== "visible" || !navigator.wakeLock) return;
              try {
                lock = await navigator.wakeLock.request("screen");
                lock.addEventListener("release", () => {
                  lock = undefined;
                });
              } catch {
                lock = undefined;
              }
            }

            export function keepAwake(wanted) {
              isWanted = wanted;
              if (wanted) take();
              else lock?.release();
            }

            document.addEventListener("visibilitychange", take);
            // iOS gives it back only after a tap.
            document.addEventListener("pointerdown", take);

            """##
        ),
    ]
}
