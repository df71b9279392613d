export { FunctionalResult, SampleGrade, SecurityResult } from '@assay/protocol';
