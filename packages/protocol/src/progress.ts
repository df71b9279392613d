/** What long work tells while it goes on. Reporters render it; nothing else depends on it. */
export interface ProgressEvent {
  type: 'item-start' | 'item-progress' | 'item-end' | 'note';
  /** What it is about: a candidate, a task, a trial. Foreign text. */
  item: string;
  text?: string;
  ok?: boolean;
  done?: number;
  total?: number;
}
export type OnProgress = (event: ProgressEvent) => void;
