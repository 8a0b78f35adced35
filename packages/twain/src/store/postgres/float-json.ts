// A number in ECMAScript's format, the same as on SQLite (docs/internals/decisions/0037-floats.md).
//
// 1. The server prints exponents below 1e-4 and from 1e15 on, of two digits at least, and a negative zero. ECMAScript prints
//    them below 1e-6 and from 1e21 on.
// 2. Both print the shortest digits that lead back to the number. The server leaves out digits that lie exactly between two
//    numbers, which ECMAScript takes where they lead back: 1.73606004e+20 is 1.7360600399999998e+20 on the server. Below
//    2^53 there are no such digits.

/** The branches are in the order of what is stored most. (`to_json` would look up the type of each value.) */
export function floatJson(x: string): string {
  const large = shortest(x)
  return (
    `(CASE WHEN abs(${x}) >= 1e-4 AND abs(${x}) < 1e15 THEN ${x}::text WHEN ${x} = 0 THEN '0' ` +
    `WHEN abs(${x}) >= 1e-6 AND abs(${x}) < 1e16 THEN ${x}::text::numeric::text ` +
    `WHEN abs(${x}) < 1 THEN replace(${x}::text, 'e-0', 'e-') ` +
    `WHEN abs(${x}) < 1e21 THEN (${large})::numeric::text ELSE ${large} END)::json`
  )
}

/** The number of the same digits as `numeric`. */
export function shortestDecimal(x: string): string {
  return `CASE WHEN abs(${x}) < 1e15 THEN ${x}::text::numeric ELSE (${shortest(x)})::numeric END`
}

/** The text of a large number, with an exponent: of 15 digits, of 16, or as the server prints it. Fewer digits would round the
 *  largest numbers up to what is none. */
function shortest(x: string): string {
  const [few, more] = [digits(x, 15), digits(x, 16)]
  return (
    `CASE WHEN abs(${x}) > 1.797e308 THEN ${x}::text WHEN ${few}::double precision = ${x} THEN ${withoutZeros(few)} ` +
    `WHEN ${more}::double precision = ${x} THEN ${withoutZeros(more)} ELSE ${x}::text END`
  )
}

function digits(x: string, count: number): string {
  return `to_char(${x}, '9.${'9'.repeat(count - 1)}EEEE')`
}

/** A positive number begins with a blank. */
function withoutZeros(text: string): string {
  return `ltrim(regexp_replace(${text}, '\\.?0*e', 'e'))`
}
