import { join } from 'node:path';
import type { FrameworkPrompt } from '../framework.ts';
import type { Scenario } from '../scenario.ts';

const SOURCES = join(import.meta.dirname, '..');

/** `PDFToText` becomes `pdf-to-text`, as the scenario's folder is called. */
export const scenarioName = ({ id }: Pick<Scenario, 'id'>): string =>
  id
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1-$2')
    .toLowerCase();

/** `Go-net/http` becomes `go-net-http`, as the framework's folder is called. */
export const frameworkName = ({ id }: Pick<FrameworkPrompt, 'id'>): string => id.toLowerCase().replaceAll('/', '-');

export const scenarioFolder = (scenario: Pick<Scenario, 'id'>): string =>
  join(SOURCES, 'scenarios', scenarioName(scenario));
export const frameworkFolder = (framework: Pick<FrameworkPrompt, 'id'>): string =>
  join(SOURCES, 'frameworks', frameworkName(framework));
