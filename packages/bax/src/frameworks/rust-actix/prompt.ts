import type { FrameworkPrompt } from '../../framework.ts';
import { ONE_FILE_RULE } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const rustActixPrompt: FrameworkPrompt = {
  id: 'Rust-Actix',
  language: 'Rust',
  name: 'Actix',
  codeFile: 'main.rs',
  manifest: manifest(import.meta.dirname, 'Cargo.toml'),
  instructions: ONE_FILE_RULE,
  startCommand: 'cargo run',
};
