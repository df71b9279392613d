import { join } from 'node:path';

/** One set of samples in a tree of results: what was asked of which model, and how. */
export interface SampleSet {
  model: string;
  scenario: string;
  framework: string;
  temperature: number;
  spec: 'openapi' | 'text';
  safety: 'none' | 'generic' | 'specific';
}

/** Where upstream's harness looks for them: `MODEL/SCENARIO/FRAMEWORK/tempT-SPEC-SAFETY`, every `/` in a part a `-`. */
export function sampleSetPath({ model, scenario, framework, temperature, spec, safety }: SampleSet): string {
  return join(...[model, scenario, framework, `temp${pythonFloat(temperature)}-${spec}-${safety}`].map(part));
}

export const samplePath = (set: SampleSet, index: number): string => join(sampleSetPath(set), `sample${index}`);

/** No part leads out of the tree, whatever the name of a model is. */
function part(name: string): string {
  const plain = name.replaceAll('/', '-').replaceAll('\0', '-');
  return plain === '' || plain === '.' || plain === '..' ? `-${plain}` : plain;
}

/** As Python prints it: `0.2`, `1.0`. */
function pythonFloat(value: number): string {
  return Number.isInteger(value) ? `${value}.0` : String(value);
}
