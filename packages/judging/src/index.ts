export { contentIdOfSource, createContentStore, type ContentStore } from './content/content-store.ts';
export { fetchContent, type FetchedContent } from './content/fetch-content.ts';
export { openContentStore } from './content/open-content-store.ts';
export { fetchStandard, judgeByStandard, type JudgedDocument, type JudgeRequest } from './judge-standard.ts';
export { checkReceipt, type ReceiptCheck } from './receipts/check-receipt.ts';
export { createKey, signingKey } from './receipts/key-file.ts';
export { makeReceipt, type ReceiptSubject } from './receipts/make-receipt.ts';
export { judgeSubmission, type Judged, type JudgeOptions } from './standards/judge-submission.ts';
export { checkStandard, parseStandard } from './standards/parse-standard.ts';
