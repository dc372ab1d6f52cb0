// Made by scripts/page.sh of what lies in Sources/SubmitServe/Page: change that.

enum PageAssets {
    static let files: [(name: String, text: StaticString)] = [
        (
            "form.html",
            ##"""


            """##
        ),
        (
            "index.html",
            ##"""
            <!doctype html>
            <title>submit</title>

            """##
        ),
    ]
}
