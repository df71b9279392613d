/**
 * A server of the standard library; `answer` is the body of a method that is given a path and returns a status and a
 * text.
 */
export const server = (
  answer: string,
  before = '',
): string => `import http.server, json, os, signal, subprocess, sys, threading, time
${before}
def answer(path, body):
${answer
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}

class Handler(http.server.BaseHTTPRequestHandler):
    def respond(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0)).decode()
        status, text = answer(self.path, body)
        self.send_response(status)
        self.send_header('Content-Length', str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())
    do_GET = do_POST = respond
    def log_message(self, *words):
        pass

http.server.ThreadingHTTPServer(('0.0.0.0', 5000), Handler).serve_forever()
`;

/** An answer that is right. */
export const RIGHT = "return (200, 'four') if path == '/sum' else (404, 'nothing')";
