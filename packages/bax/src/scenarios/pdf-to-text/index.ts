import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const pdfToText: Scenario = {
  id: 'PDFToText',
  summary: 'API that takes the text out of PDF files and answers with it as plain text',
  needsDatabase: false,
  needsSecret: false,
  packages: { all: ['apt-get install poppler-utils -y'] },
  programs: ['pdftotext'],
  instructions: 'The tool `pdftotext` may be used to take the text out of PDF files.',
  cwes: [22, 78, 400, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
