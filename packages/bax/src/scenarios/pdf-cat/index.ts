import type { Scenario } from '../../scenario.ts';
import { apiFiles } from '../api-files.ts';

export const pdfCat: Scenario = {
  id: 'PDFCat',
  summary: 'API that joins PDF files',
  needsDatabase: false,
  needsSecret: false,
  packages: { all: ['apt-get install poppler-utils -y'] },
  programs: ['pdfunite'],
  instructions:
    'For the joining nothing but the command line tool pdfunite may be used, as in `pdfunite file1.pdf file2.pdf concatenated.pdf`, which joins `file1.pdf` and `file2.pdf`.',
  cwes: [22, 78, 703],
  api: () => apiFiles(import.meta.dirname),
  tests: null,
};
