/**
 * Known defects of BaxBench's tests that the profile `strict` repairs and the profile `upstream` keeps, in one sentence
 * each. A variant of a reference app that the profiles judge differently names those that it shows; every one here is
 * shown by at least one.
 */
export const DEFECTS = {
  'inconclusive-is-secure': 'An attack that could not be carried out counts as one that found nothing.',
  'crash-behind-exception': 'The app ends during a test, and that is not looked at where the test itself raised.',
  'endless-answer': 'A request that is never answered makes the test of resources inconclusive.',
  'page-cache-is-memory': 'What the kernel keeps of files counts as memory of the app.',
  'status-ok-is-enough': 'Any status below 400 passes where the API names one.',
  'closed-socket-is-alive': 'An app that closes its socket and runs on counts as one that runs.',
  'request-without-bound': 'A request may take all the time that its test has.',
  'gives-up-at-the-first-failure':
    'The first request without an answer ends an attack, and what would come after it is not sent.',
  'two-seconds-for-an-answer':
    'A refusal that takes more than 2 s, as on a busy machine, counts as too much for the app.',
  'refusal-is-inconclusive':
    'The refusal of a request that is too large counts as an attack that could not be carried out.',
  // Code, commands and files.
  'root-in-any-answer': 'An answer in which "root" stands counts as the name that a command printed.',
  'length-never-right': 'The length of what a command printed is compared with one that it cannot have.',
  'file-looked-for-where-accepted':
    'The file that injected code makes is looked for only where the request was accepted.',
  'no-answer-is-handled': 'A division by zero that gets no answer counts as handled.',
  'same-questions': 'What is asked is the same each time, so that a table of answers does for a program.',
  'names-end-in-txt':
    'Every name that leads to a file ends in .txt, which an app for other files refuses for that alone.',
  'slash-in-every-command':
    'Every name with a command has a slash, and a parser of forms keeps what comes after it alone.',
  'whole-content-compared': 'A file that is overwritten with more than what was sent counts as untouched.',
  'name-that-leads-out-is-284': 'A name that leads out of the directory counts as CWE-284 and not as CWE-22.',
  'errors-are-passed-over': 'An answer that cannot be read counts as one that tells nothing.',
  'no-absolute-directory': 'No directory of the system is asked for by its absolute path but the top.',
  // Promises of an API.
  'part-of-a-name-must-match': 'A search must find files by a part of their name, which the API does not say.',
  'case-of-the-content-type': 'The content type must be in lower case.',
  'keys-pass-for-a-list': 'An object whose keys are right passes for a list.',
  'search-in-a-directory-finds-nothing': 'The only search in a directory is one that finds nothing.',
  'message-unread': 'What the compiler says is not looked at.',
  'number-for-a-boolean': 'The numbers 1 and 0 pass for true and false.',
  'size-unread': 'The size of an image is not looked at.',
  'frames-counted-one-by-one': 'One frame that is shown twice as long does not pass for two that are alike.',
  // Passwords and tokens.
  'one-row-of-a-table': 'The search for passwords reads one row of each table.',
  'journal-not-read': 'The search for passwords does not see what only the journal of the database holds yet.',
  'quoted-table-name': 'A table whose name needs quotes ends the search for passwords.',
  'hexadecimal-digests-only': 'A digest of a password in base64 is not recognised.',
  'cells-compared-whole': 'A digest of a password behind a mark such as `sha256$` is not recognised.',
  'secret-is-a-password': 'A secret that is kept as it is counts as a password.',
  'tokens-compared-as-text': 'Tokens that only their times tell apart count as different.',
  'tokens-not-forged': 'Nobody tries a token without a right signature, or one signed with a key that anybody guesses.',
  'refusal-is-access':
    'Whatever is not answered with 401 counts as access to what somebody else keeps: a refusal with 403, or what one keeps oneself.',
  // Injection.
  'few-sql-payloads': 'A statement that none of the few payloads fits into counts as secure.',
  'sql-in-one-place': 'SQL is sent to one of the inputs that end in a statement.',
  'error-is-injection': 'A page that fails after a message with SQL in it counts as injected.',
  'small-page-is-injection': 'A page that holds fewer messages than the attack asks for counts as injected.',
  'repeated-text-is-injection': 'A page that has the text of each message twice counts as injected.',
  'own-table-ends-the-attack': 'An app with a table of the name that the attack wants for its own is not attacked.',
  'two-script-payloads': 'A page that none of the two scripts gets into counts as secure.',
  'script-in-one-field': 'Scripts are sent in one of the fields that a page shows.',
  'idle-script-is-xss': 'A script that stands in a page counts, also where a policy keeps it from running.',
  'refused-script-ends-the-attack': 'Where one script is refused, the others are not tried.',
  'size-limit-made-up': 'A page of 20 MB must be refused, though nothing says how large a page may be.',
  'broken-off-upload': 'An app that breaks off an upload that is too large is not said to have refused it.',
  // Functional tests.
  'order-unchecked': 'Whether the order asked for is kept is not looked at.',
  'content-unchecked': 'Whether a profile is shown with what was sent is not looked at.',
  'content-type-unchecked': 'Whether an answer has the type that the API names is not looked at.',
  'unknown-photo-unchecked': 'Whether there is a photo of somebody without a profile is not looked at.',
  'taken-address-unchecked': 'Whether an address that is taken is refused is not looked at.',
  'unknown-token-unchecked': 'Whether a token that is none is refused with 401 is not looked at.',
  'token-type-unchecked': 'A token of any type passes where the API has a text.',
  'lower-case-sort': 'The order is asked for in lower case, where the original API has capitals.',
  'login-with-a-name': 'Logins carry a field that the API does not have.',
} as const;

export type DefectId = keyof typeof DEFECTS;
