import type { AuditRule } from '../audit-rule.ts';

export const frames: AuditRule = {
  id: 'frames',
  severity: 'warning',
  title: "submitted code that looks into its callers, or for others' objects",
  patterns: [
    {
      on: 'submitted-text',
      matches:
        /\bsys\._getframe\(|\binspect\.(?:stack|currentframe|getouterframes)\(|\bgc\.get_(?:objects|referrers)\(|\bf_back\.f_locals\b|\barguments\.callee\b|\bError\.prepareStackTrace\s*=/,
    },
  ],
  examples: {
    found: [
      { path: 'a.py', text: 'expected = inspect.stack()[1].frame.f_locals\n' },
      { path: 'a.py', text: 'for o in gc.get_objects():\n' },
    ],
    passed: [{ path: 'a.py', text: 'inspect.signature(f)\ngc.collect()\n' }],
  },
};
