// The oracle's operators on single values: which filters they match, and which of two sorts first.

export type Where = { [key: string]: unknown }

export function testLeaf(type: string, value: unknown, tests: Where): boolean {
  return Object.entries(tests).every(([operator, operand]) => {
    const isNull = value === null || value === undefined
    if (operator === 'isNull') return operand === isNull
    if (operator === 'ne') return isNull || compare(type, value, operand) !== 0
    if (operator === 'notIn') return isNull || (operand as unknown[]).every((each) => compare(type, value, each) !== 0)
    if (isNull) return false
    switch (operator) {
      case 'eq':
        return compare(type, value, operand) === 0
      case 'in':
        return (operand as unknown[]).some((each) => compare(type, value, each) === 0)
      case 'lt':
        return compare(type, value, operand) < 0
      case 'lte':
        return compare(type, value, operand) <= 0
      case 'gt':
        return compare(type, value, operand) > 0
      case 'gte':
        return compare(type, value, operand) >= 0
      case 'between': {
        const [least, greatest] = operand as [unknown, unknown]
        return compare(type, value, least) >= 0 && compare(type, value, greatest) <= 0
      }
      case 'contains':
        return (value as string).includes(operand as string)
      case 'startsWith':
        return (value as string).startsWith(operand as string)
      case 'endsWith':
        return (value as string).endsWith(operand as string)
      case 'ieq':
        return fold(value) === fold(operand)
      case 'icontains':
        return fold(value).includes(fold(operand))
      case 'istartsWith':
        return fold(value).startsWith(fold(operand))
      case 'iendsWith':
        return fold(value).endsWith(fold(operand))
      default:
        throw new Error(`no operator ${operator}`)
    }
  })
}

/** Sufficient for the generated texts: Latin letters with accents, and Han characters. */
function fold(text: unknown): string {
  return (text as string)
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
}

export function testList(type: string, value: unknown[] | null, tests: Where): boolean {
  const same = (other: unknown[]) =>
    value !== null &&
    value.length === other.length &&
    value.every((item, index) => compare(type, item, other[index]) === 0)
  return Object.entries(tests).every(([operator, operand]) => {
    if (operator === 'isNull') return operand === (value === null)
    if (operator === 'contains') return value?.some((item) => compare(type, item, operand) === 0) ?? false
    if (operator === 'eq') return same(operand as unknown[])
    if (operator === 'ne') return !same(operand as unknown[])
    throw new Error(`no operator ${operator}`)
  })
}

/** Whether each word of the search is in one of the texts, the last one as a prefix. */
export function testWords(texts: (string | null)[], search: string): boolean {
  const there = texts.flatMap((text) => wordsIn(text ?? ''))
  const words = wordsIn(search)
  return words.every((word, index) =>
    there.some((other) => (index === words.length - 1 ? other.startsWith(word) : other === word)),
  )
}

/** Each Han character is a word. */
function wordsIn(text: string): string[] {
  return fold(text).match(/\p{Script=Han}|[a-z0-9]+/gu) ?? []
}

export function compareNullsLast(type: string, a: unknown, b: unknown, direction: 'ASC' | 'DESC'): number {
  const [noA, noB] = [a === null || a === undefined, b === null || b === undefined]
  if (noA || noB) return Number(noA) - Number(noB)
  return direction === 'ASC' ? compare(type, a, b) : compare(type, b, a)
}

function compare(type: string, a: unknown, b: unknown): number {
  switch (type) {
    case 'Int':
    case 'Float':
      return (a as number) - (b as number)
    case 'Boolean':
      return Number(a) - Number(b)
    case 'BigInt':
    case 'Decimal':
      return compareExactly(a as string, b as string)
    case 'DateTime':
      return Date.parse(a as string) - Date.parse(b as string)
    case 'String':
      return compareTexts(a as string, b as string)
    default:
      return compareCodePoints(a as string, b as string)
  }
}

/** The order of texts: by the folded form of their first 32 characters, then by their code points. */
export function compareTexts(a: string, b: string): number {
  return compareCodePoints(keyOf(a), keyOf(b)) || compareCodePoints(a, b)
}

function keyOf(text: string): string {
  return firstCharacters(fold(firstCharacters(text)))
}

function firstCharacters(text: string): string {
  return Array.from(text).slice(0, 32).join('')
}

/** Both numbers as integers, in units of the last decimal place of the more precise one. */
function compareExactly(a: string, b: string): number {
  const places = Math.max(fraction(a).length, fraction(b).length)
  const difference = scaled(a, places) - scaled(b, places)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}

function fraction(number: string): string {
  return number.split('.')[1] ?? ''
}

function scaled(number: string, places: number): bigint {
  return BigInt(number.split('.')[0]! + fraction(number).padEnd(places, '0'))
}

function compareCodePoints(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = left[index]!.codePointAt(0)! - right[index]!.codePointAt(0)!
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
