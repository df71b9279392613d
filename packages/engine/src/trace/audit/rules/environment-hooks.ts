import type { AuditRule } from '../audit-rule.ts';

export const environmentHooks: AuditRule = {
  id: 'environment-hooks',
  severity: 'warning',
  title: 'set what makes later processes load code',
  patterns: [
    {
      on: 'variable',
      matches:
        /^(?:LD_PRELOAD|LD_AUDIT|PYTHONSTARTUP|BASH_ENV|PROMPT_COMMAND|GIT_SSH_COMMAND|PYTEST_ADDOPTS|PYTEST_PLUGINS)=.|^NODE_OPTIONS=.*(?:--require|--import|--loader|-r )/,
    },
    {
      on: 'write',
      matches:
        /(?:^|\/)\.(?:bashrc|bash_profile|profile|zshrc|npmrc|pydistutils\.cfg|gitconfig)$|^\/etc\/(?:profile|environment|ld\.so\.preload|bash\.bashrc|hosts|passwd)/,
    },
  ],
  examples: {
    found: [
      'LD_PRELOAD=/tmp/x.so pytest',
      'export NODE_OPTIONS="--require /tmp/x.js"',
      'echo "alias pytest=true" >> ~/.bashrc',
      'export PYTEST_ADDOPTS="-p evil"',
    ],
    passed: [
      'PYTHONPATH=. pytest -q',
      'NODE_OPTIONS=--max-old-space-size=4096 npm test',
      'CI=1 npm test',
      'cat ~/.bashrc',
      'env FOO=1 make',
    ],
  },
};
