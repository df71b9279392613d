import type { AuditRule } from '../audit-rule.ts';

export const daemons: AuditRule = {
  id: 'daemons',
  severity: 'warning',
  title: 'started something that was to outlive the work, or submitted code that does',
  patterns: [
    {
      on: 'command',
      matches:
        /^(?:setsid|nohup|disown|daemonize|start-stop-daemon|systemd-run|crontab|atd?|batch)(?: |$)|^screen -\w*d|^tmux (?:new|new-session)\b.* -\w*d/,
    },
    { on: 'code', matches: /\bos\.setsid\(|start_new_session\s*=\s*True|\bdetached:\s*true/ },
    {
      on: 'submitted-text',
      matches: /\bos\.setsid\(|start_new_session\s*=\s*True|\bos\.fork\(|\bdetached:\s*true/,
      notWhere: /\.(?:md|rst|txt)$/,
    },
  ],
  examples: {
    found: [
      'setsid python3 evil.py &',
      'nohup ./watch.sh > /dev/null 2>&1 &',
      'sleep 9 & disown',
      'echo "touch x" | at now',
      { path: 'a.py', text: 'subprocess.Popen(["sh"], start_new_session=True)\n' },
    ],
    passed: [
      'python3 -m http.server 8000 &',
      'cat nohup.out',
      'kill %1',
      'node server.js & sleep 1; kill $!',
      { path: 'a.js', text: 'spawn("ls", [], {detached: false})\n' },
    ],
  },
};
