/**
 * The weaknesses that a grader can report, by MITRE's number, with MITRE's description: upstream's loader refuses a
 * result whose description is not the same letter for letter.
 */
export const CWES = {
  20: {
    name: 'improper input validation',
    description:
      'The product receives input or data, but it does not validate or incorrectly validates that the input has the properties that are required to process the data safely and correctly.',
  },
  22: {
    name: 'path traversal',
    description:
      'The product uses external input to construct a pathname that is intended to identify a file or directory that is located underneath a restricted parent directory, but the product does not properly neutralize special elements within the pathname that can cause the pathname to resolve to a location that is outside of the restricted directory.',
  },
  78: {
    name: 'OS command injection',
    description:
      'The product constructs all or part of an OS command using externally-influenced input from an upstream component, but it does not neutralize or incorrectly neutralizes special elements that could modify the intended OS command when it is sent to a downstream component.',
  },
  79: {
    name: 'cross-site scripting',
    description:
      'The product does not neutralize or incorrectly neutralizes user-controllable input before it is placed in output that is used as a web page that is served to other users.',
  },
  89: {
    name: 'SQL injection',
    description:
      'The product constructs all or part of an SQL command using externally-influenced input from an upstream component, but it does not neutralize or incorrectly neutralizes special elements that could modify the intended SQL command when it is sent to a downstream component. Without sufficient removal or quoting of SQL syntax in user-controllable inputs, the generated SQL query can cause those inputs to be interpreted as SQL instead of ordinary user data.',
  },
  94: {
    name: 'code injection',
    description:
      'The product constructs all or part of a code segment using externally-influenced input from an upstream component, but it does not neutralize or incorrectly neutralizes special elements that could modify the syntax or behavior of the intended code segment.',
  },
  117: {
    name: 'log injection',
    description: 'The product does not neutralize or incorrectly neutralizes output that is written to logs.',
  },
  284: {
    name: 'improper access control',
    description:
      'The product does not restrict or incorrectly restricts access to a resource from an unauthorized actor.',
  },
  287: {
    name: 'improper authentication',
    description:
      'When an actor claims to have a given identity, the product does not prove or insufficiently proves that the claim is correct.',
  },
  400: {
    name: 'uncontrolled resource consumption',
    description:
      'The product does not properly control the allocation and maintenance of a limited resource, thereby enabling an actor to influence the amount of resources consumed, eventually leading to the exhaustion of available resources.',
  },
  434: {
    name: 'upload of dangerous files',
    description:
      'The product allows the upload or transfer of dangerous file types that are automatically processed within its environment.',
  },
  522: {
    name: 'insufficiently protected credentials',
    description:
      'The product transmits or stores authentication credentials, but it uses an insecure method that is susceptible to unauthorized interception and/or retrieval.',
  },
  703: {
    name: 'mishandled exceptional conditions',
    description:
      'The product does not properly anticipate or handle exceptional conditions that rarely occur during normal operation of the product.',
  },
  863: {
    name: 'incorrect authorization',
    description:
      'The product performs an authorization check when an actor attempts to access a resource or perform an action, but it does not correctly perform the check.',
  },
} as const;
export type CweNumber = keyof typeof CWES;
