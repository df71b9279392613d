import { z } from 'zod';
import { functionNameProblem } from './function-name.ts';
import { parseSignatureType } from './type-signature.ts';

/** Lowest passing score of any standard. A document may ask for more, never for less. */
export const MIN_PASS_SCORE = 60;

export const Language = z.enum(['javascript', 'typescript', 'python', 'go', 'rust']);
export type Language = z.infer<typeof Language>;
/** Languages whose standards must carry a signature: their harness is compiled. */
export const SIGNATURE_LANGUAGES: readonly Language[] = ['go', 'rust'];

const Weight = z.number('expected a number').min(0, 'a weight must not be negative').max(1_000_000);
const Milliseconds = z.number().int().min(1).max(600_000);

/** Optional fields of every type of standard. */
const common = {
  $schema: z.string().optional(),
  schemaVersion: z.union([z.string(), z.number()]).optional(),
  title: z.string().max(200).optional(),
  /** Instruction for the solver. */
  description: z.string().max(100_000).optional(),
  /** 60 to 100; default 60. */
  passScore: z
    .number()
    .int()
    .min(MIN_PASS_SCORE, `at least ${MIN_PASS_SCORE}: no standard may pass below it`)
    .max(100)
    .optional(),
};

const SignatureText = z
  .string()
  .refine((text) => parseSignatureType(text) !== null, {
    error: 'expected bool, i64, f64, string, list<T>, map<T> or optional<T>',
  });
const SignatureSchema = z.strictObject({ params: z.array(SignatureText).max(20), returns: SignatureText });

const NumberTolerance = z.union([
  z.number().min(0),
  z.strictObject({ abs: z.number().min(0).optional(), rel: z.number().min(0).optional() }),
]);

/** Options for comparing actual and expected values; see the values folder of the sandbox package. */
const comparison = { numberTolerance: NumberTolerance.optional(), unordered: z.boolean().optional() };

export const StandardCase = z
  .strictObject({
    /** The positional arguments. Values that JSON lacks are tagged: `{"$type": "bigint", "value": "12"}`. */
    input: z.array(z.unknown(), 'expected an array: the positional arguments'),
    expected: z.unknown().optional(),
    /** `true`: any error. A string: the message holds it. */
    throws: z
      .union([
        z.literal(true),
        z.string().min(1),
        z.strictObject({ name: z.string().optional(), message: z.string().optional() }),
      ])
      .optional(),
    desc: z.string().max(500).optional(),
    weight: Weight.optional(),
    timeoutMs: Milliseconds.optional(),
    ...comparison,
  })
  .superRefine((value, context) => {
    const hasExpected = Object.hasOwn(value, 'expected');
    if (hasExpected === (value.throws !== undefined)) {
      context.addIssue({
        code: 'custom',
        path: ['expected'],
        message: hasExpected
          ? 'a case has `expected` or `throws`, not both'
          : 'expected a value (null is one), or `throws`',
      });
    }
  });
export type StandardCase = z.infer<typeof StandardCase>;

export const TestCasesStandard = z
  .strictObject({
    type: z.literal('test_cases'),
    ...common,
    functionName: z.string().superRefine((name, context) => {
      const problem = functionNameProblem(name);
      if (problem !== null) context.addIssue({ code: 'custom', message: problem });
    }),
    language: Language.optional(),
    signature: SignatureSchema.optional(),
    timeoutMs: Milliseconds.optional(),
    ...comparison,
    cases: z.array(StandardCase, 'expected an array of cases').min(1, 'expected at least one case').max(10_000),
  })
  .superRefine((standard, context) => {
    if (standard.language && SIGNATURE_LANGUAGES.includes(standard.language) && !standard.signature) {
      context.addIssue({
        code: 'custom',
        path: ['signature'],
        message: `expected a signature: ${standard.language} is statically typed`,
      });
    }
    const { signature } = standard;
    standard.cases.forEach((entry, index) => {
      if (signature && entry.input.length !== signature.params.length) {
        context.addIssue({
          code: 'custom',
          path: ['cases', index, 'input'],
          message: `expected ${signature.params.length} arguments, as the signature says, not ${entry.input.length}`,
        });
      }
    });
    requirePositiveSum(
      standard.cases.map((entry) => entry.weight ?? 1),
      context,
      'cases',
    );
  });
export type TestCasesStandard = z.infer<typeof TestCasesStandard>;

export const JudgePromptStandard = z
  .strictObject({
    type: z.literal('judge_prompt'),
    ...common,
    prompt: z.string().min(1, 'expected a prompt').max(100_000),
    /** Default: one criterion, `overall`. */
    criteria: z.array(z.string().min(1).max(1000)).min(1, 'expected at least one criterion').max(50).optional(),
    /** One for each criterion; default all equal. */
    weights: z.array(Weight).optional(),
    /** How often each criterion is scored; the median counts. Odd, default 3. */
    samples: z
      .number()
      .int()
      .min(1)
      .max(15)
      .refine((count) => count % 2 === 1, 'expected an odd number, so that there is a median')
      .optional(),
  })
  .superRefine((standard, context) => {
    const { criteria, weights } = standard;
    if (weights && weights.length !== (criteria?.length ?? 1)) {
      context.addIssue({
        code: 'custom',
        path: ['weights'],
        message: `expected ${criteria?.length ?? 1} weights, one for each criterion, not ${weights.length}`,
      });
    }
    if (weights) requirePositiveSum(weights, context, 'weights');
    if (criteria && new Set(criteria).size !== criteria.length)
      context.addIssue({ code: 'custom', path: ['criteria'], message: 'two criteria are equal' });
  });
export type JudgePromptStandard = z.infer<typeof JudgePromptStandard>;

/** A shell line run in a sandbox that holds the submission; the item passes when it exits 0. */
export const ChecklistProbe = z.strictObject({
  command: z.string().min(1).max(10_000),
  timeoutMs: Milliseconds.optional(),
});
export type ChecklistProbe = z.infer<typeof ChecklistProbe>;

export const ChecklistItem = z.union(
  [
    z.string().min(1).max(2000),
    z.strictObject({ check: z.string().min(1).max(2000), weight: Weight.optional(), probe: ChecklistProbe.optional() }),
  ],
  'expected a text, or {check, weight?, probe?}',
);

export const ChecklistStandard = z
  .strictObject({
    type: z.literal('checklist'),
    ...common,
    items: z.array(ChecklistItem, 'expected an array of items').min(1, 'expected at least one item').max(500),
  })
  .superRefine((standard, context) => {
    requirePositiveSum(
      standard.items.map((item) => (typeof item === 'string' ? 1 : (item.weight ?? 1))),
      context,
      'items',
    );
  });
export type ChecklistStandard = z.infer<typeof ChecklistStandard>;

export interface CompositeStandard {
  type: 'composite';
  $schema?: string | undefined;
  schemaVersion?: string | number | undefined;
  title?: string | undefined;
  description?: string | undefined;
  passScore?: number | undefined;
  children: { weight: number; standard: Standard }[];
}
export type Standard = TestCasesStandard | JudgePromptStandard | ChecklistStandard | CompositeStandard;
export const STANDARD_TYPES = ['test_cases', 'judge_prompt', 'checklist', 'composite'] as const;
const DEEPEST_COMPOSITE = 3;

/**
 * Refuses documents whose composites nest too deep before anything recurses into them: a schema that refers to itself
 * would overflow the stack.
 */
const withinDepth = <Schema extends z.ZodType>(schema: Schema): z.ZodPreprocess<Schema> =>
  z.preprocess((document, context) => {
    if (nestsTooDeep(document))
      context.addIssue({
        code: 'custom',
        path: ['children'],
        message: `composites nest deeper than ${DEEPEST_COMPOSITE}`,
      });
    return document;
  }, schema);

const Composite = z
  .strictObject({
    type: z.literal('composite'),
    ...common,
    children: z
      .array(z.strictObject({ weight: Weight, standard: z.lazy(() => Standard) }))
      .min(1, 'expected at least one child')
      .max(50),
  })
  .superRefine((standard, context) => {
    requirePositiveSum(
      standard.children.map((child) => child.weight),
      context,
      'children',
    );
  });

/** Scores the weighted mean of its children, rounded down. */
export const CompositeStandard: z.ZodType<CompositeStandard> = withinDepth(Composite);

/**
 * An evaluation document. Use `parseStandard` of `@assay/judging` for foreign ones: it also refuses duplicate keys.
 */
export const Standard: z.ZodType<Standard> = withinDepth(
  z.discriminatedUnion(
    'type',
    [TestCasesStandard, JudgePromptStandard, ChecklistStandard, Composite],
    `expected type to be one of ${STANDARD_TYPES.join(', ')}`,
  ),
);

function requirePositiveSum(weights: number[], context: z.core.$RefinementCtx, path: string): void {
  if (weights.length > 0 && weights.every((weight) => weight === 0))
    context.addIssue({ code: 'custom', path: [path], message: 'the weights must not all be 0' });
}

/** Goes down level by level, and no further than the limit. */
function nestsTooDeep(document: unknown): boolean {
  let level = [document];
  for (let depth = 0; depth <= DEEPEST_COMPOSITE; depth += 1) level = level.flatMap(childrenOf);
  return level.length > 0;
}

/** Returns the standards directly within a document, which may be anything. Only composites have some. */
function childrenOf(document: unknown): unknown[] {
  if (!isObject(document) || document['type'] !== 'composite' || !Array.isArray(document['children'])) return [];
  return document['children'].map((child: unknown) => (isObject(child) ? child['standard'] : undefined));
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
