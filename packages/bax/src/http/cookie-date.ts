const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const LOOSE =
  /^(\d\d?)(?:\s+|[-/])(\w+)(?:\s+|[-/])(\d+)(?:(?:\s+|:)(\d\d?):(\d\d)(?::(\d\d))?)?\s*(?:([-+]?\d{2,4}|(?![APap][Mm]\b)[A-Za-z]+)\s*)?(?:\(\w+\)\s*)?$/;

function fullYear(year: number): number {
  if (year >= 1000) return year;
  const now = new Date().getFullYear();
  const candidate = year + now - (now % 100);
  const ahead = (now % 100) - year;
  if (Math.abs(ahead) <= 50) return candidate;
  return ahead > 0 ? candidate + 100 : candidate - 100;
}

function zoneSeconds(zone: string | undefined): number | null {
  if (zone === undefined || /^(?:GMT|UTC|UT|Z)$/i.test(zone)) return 0;
  const [, sign, hours, minutes = '0'] = /^([-+])?(\d\d?):?(\d\d)?$/.exec(zone) ?? [];
  if (hours === undefined) return null;
  const seconds = 3600 * Number(hours) + 60 * Number(minutes);
  return sign === '-' ? -seconds : seconds;
}

/**
 * Seconds since 1970 of a cookie's `expires`, in any of the forms that Python's cookie jar understands; null for all
 * others.
 */
export function cookieDate(text: string): number | null {
  const bare = text.trimStart().replace(/^(?:Sun|Mon|Tue|Wed|Thu|Fri|Sat)[a-z]*,?\s*/i, '');
  const [, day = '', month = '', year, hour = '0', minute = '0', second = '0', zone] = LOOSE.exec(bare) ?? [];
  if (year === undefined) return null;
  const named = MONTHS.indexOf(month.toLowerCase());
  const index = named >= 0 ? named : Number(month) - 1;
  const numbers = [fullYear(Number(year)), index, Number(day), Number(hour), Number(minute), Number(second)] as const;
  const [y, mo, d, h, mi, s] = numbers;
  const known = Number.isInteger(mo) && mo >= 0 && mo <= 11 && d >= 1 && d <= 31 && h <= 24 && mi <= 59 && s <= 61;
  const offset = zoneSeconds(zone);
  if (!known || y < 1970 || y > 9999 || offset === null) return null;
  return Date.UTC(y, mo, d, h, mi, s) / 1000 - offset;
}
