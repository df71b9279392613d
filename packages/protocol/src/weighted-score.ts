/**
 * The floor of the weighted mean, exactly: `floor(sum(weight * score) / sum(weight))`. Weights are decimals as written
 * (0.1 is a tenth, not the binary number beside it) and are never rounded; scores are integers. 0 when there is nothing
 * or all weights are 0.
 */
export function weightedFloor(parts: readonly { weight: number; score: number }[]): number {
  const decimals = parts.map(({ weight }) => toDecimal(weight));
  const scale = Math.max(0, ...decimals.map((decimal) => decimal.digits));
  let sum = 0n;
  let weights = 0n;
  parts.forEach(({ score }, index) => {
    const decimal = decimals[index] ?? { value: 0n, digits: 0 };
    const weight = decimal.value * 10n ** BigInt(scale - decimal.digits);
    sum += weight * BigInt(score);
    weights += weight;
  });
  return weights === 0n ? 0 : Number(sum / weights);
}

/** A non-negative finite number as `value / 10 ** digits`. Throws RangeError on others. */
function toDecimal(number: number): { value: bigint; digits: number } {
  if (!Number.isFinite(number) || number < 0) throw new RangeError(`${number} is no weight`);
  const [mantissa = '0', exponent = '0'] = number.toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = fraction.length - Number(exponent);
  const value = BigInt(whole + fraction);
  return digits >= 0 ? { value, digits } : { value: value * 10n ** BigInt(-digits), digits: 0 };
}
