import { isRecord } from '@assay/lanes/model-lane/rules';
import type { OfferedTool } from './conversation.ts';

export const words = (value: unknown): string => (typeof value === 'string' ? value : '');
export const records = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** The text of a message that is a string or a list of parts; what is no text is named in brackets. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  if (isRecord(content)) return textOf([content]);
  if (!Array.isArray(content)) return '';
  return content
    .map((part) => (typeof part === 'string' ? part : isRecord(part) ? partText(part) : ''))
    .filter((text) => text !== '')
    .join('\n');
}

function partText(part: Record<string, unknown>): string {
  const text = words(part['text']) || words(part['refusal']);
  if (text !== '' || part['type'] === 'text') return text;
  const type = words(part['type']);
  if (type === 'image' || type === 'image_url' || type === 'input_image' || isRecord(part['inlineData']))
    return '[image]';
  return '';
}

/** Arguments as JSON where they are some, else the text. */
export function parseArguments(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? {};
  try {
    const parsed: unknown = JSON.parse(value);
    return isRecord(parsed) ? parsed : value;
  } catch {
    return value;
  }
}

export function offered(name: string, description: unknown, parameters: unknown): OfferedTool {
  return {
    type: 'function',
    function: {
      name,
      ...(words(description) === '' ? {} : { description: words(description) }),
      ...(isRecord(parameters) ? { parameters } : {}),
    },
  };
}
