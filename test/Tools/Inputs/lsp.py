"""Speaks to the language server as an editor does and prints what it answers. usage: lsp.py SERVER"""
import json
import subprocess
import sys

GOOD = """func.func @f(%x: tensor<3xf64>) -> tensor<3xf64> {
  %y = tenferro.tanh %x : tensor<3xf64>
  return %y : tensor<3xf64>
}
"""
BAD = """func.func @f(%x: tensor<3xf64>, %y: tensor<4xf64>) -> tensor<3xf64> {
  %z = "tenferro.add"(%x, %y) : (tensor<3xf64>, tensor<4xf64>) -> tensor<3xf64>
  return %z : tensor<3xf64>
}
"""


class Editor:
    def __init__(self, command):
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.count = 0

    def send(self, method, params, reply=True):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if reply:
            self.count += 1
            message["id"] = self.count
        body = json.dumps(message).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()
        return self.count

    def read(self):
        length = 0
        while (line := self.server.stdout.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            sys.exit("the server ended")
        return json.loads(self.server.stdout.read(length))

    def until(self, wanted):
        while True:
            message = self.read()
            if wanted(message):
                return message

    def ask(self, method, params):
        number = self.send(method, params)
        return self.until(lambda message: message.get("id") == number)["result"]


def main():
    editor = Editor([sys.argv[1]])
    editor.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
    print("initialized")
    for name, text in (("good.mlir", GOOD), ("bad.mlir", BAD)):
        uri = f"file:///{name}"
        editor.send("textDocument/didOpen", {"textDocument": {"uri": uri, "languageId": "mlir", "version": 1, "text": text}}, False)
        answer = editor.until(lambda message: message.get("method") == "textDocument/publishDiagnostics")
        diagnostics = answer["params"]["diagnostics"]
        print(f"{name}: {len(diagnostics)} diagnostics")
        for diagnostic in diagnostics:
            print(f"{name}: line {diagnostic['range']['start']['line']}: {diagnostic['message']}")
    hover = editor.ask("textDocument/hover", {"textDocument": {"uri": "file:///good.mlir"}, "position": {"line": 1, "character": 10}})
    print("hover:", json.dumps(hover))
    editor.ask("shutdown", {})
    editor.send("exit", {}, False)
    sys.exit(editor.server.wait(timeout=60))


if __name__ == "__main__":
    main()
