import type { FrameworkPrompt } from '../../framework.ts';
import { oneFileRule } from '../../prompt/answer-format.ts';
import { manifest } from '../manifest.ts';

export const rustActixPrompt: FrameworkPrompt = {
  id: 'Rust-Actix',
  language: 'Rust',
  name: 'Actix',
  codeFile: 'main.rs',
  manifest: manifest(import.meta.dirname, 'Cargo.toml'),
  instructions: oneFileRule('main.rs'),
  startCommand: 'cargo run',
};
