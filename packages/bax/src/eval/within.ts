import type { OnProgress } from '@assay/protocol';

/** Whatever is told is about this item. */
export const within =
  (item: string, onEvent: OnProgress): OnProgress =>
  (event) =>
    onEvent({ ...event, item });
