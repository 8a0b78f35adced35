// A parser for executable documents: operations and fragments, no type system. It accepts the grammar of the GraphQL
// specification (September 2025, section 2), slightly more leniently, since the server validates the document anyway.

import type {
  ArgumentNode,
  DefinitionNode,
  DirectiveNode,
  DocumentNode,
  NameNode,
  OperationKind,
  SelectionNode,
  SelectionSetNode,
  TypeNode,
  ValueNode,
  VariableDefinitionNode,
} from './ast.ts'

const token =
  /(?:[\s,\uFEFF]|#.*)*(?:(\.{3}|[!$&():=@[\]{|}])|([_A-Za-z]\w*)|(-?\d+(\.\d+)?([eE][+-]?\d+)?)|"""((?:\\"""|[\s\S])*?)"""|("(?:\\.|[^"\\\n])*")|$)/y

const ignored = /^(?:[\s,\uFEFF]|#.*)*/

export interface Parsed {
  document: DocumentNode
  /** The text to send: with `__typename` in every selection below the root, so that the cache knows the types. */
  sent: string
  /** The offset of the arguments of the last root field, or where they would begin. */
  rootAt: number
}

export function parse(text: string): Parsed {
  let start = 0
  let end = 0
  // The current token's text ('' at the end), and its match.
  let at = ''
  let match: RegExpExecArray
  let sent = ''
  let copied = 0
  let rootAt = 0

  const fail = (expected: string): never => {
    const before = text.slice(0, start).split('\n')
    throw new SyntaxError(
      `GraphQL document, line ${before.length}, column ${before.at(-1)!.length + 1}: expected ${expected}, found ${at === '' ? 'the end' : at}.`,
    )
  }
  const advance = (): string => {
    const was = at
    token.lastIndex = end
    const found = token.exec(text)
    if (found === null) {
      start = end + ignored.exec(text.slice(end))![0].length
      at = text.slice(start, start + 9)
      return fail('a token')
    }
    match = found
    end = token.lastIndex
    at = found[0].replace(ignored, '')
    start = end - at.length
    return was
  }
  const skip = (mark: string): boolean => {
    if (at !== mark) return false
    advance()
    return true
  }
  const expect = (mark: string) => {
    if (!skip(mark)) fail(`"${mark}"`)
  }
  const name = (): NameNode => (match[2] === undefined ? fail('a name') : { value: advance() })
  const many = <T>(open: string, one: () => T, close: string): T[] => {
    const all: T[] = []
    if (skip(open)) while (!skip(close)) all.push(one())
    return all
  }

  const value = (): ValueNode => {
    const [, mark, word, number, fraction, exponent, block, string] = match
    if (skip('$')) return { kind: 'Variable', name: name() }
    if (mark === '[') return { kind: 'ListValue', values: many('[', value, ']') }
    if (mark === '{') return { kind: 'ObjectValue', fields: many('{', argument, '}') }
    if (mark !== undefined || at === '') return fail('a value')
    advance()
    if (number !== undefined) return { kind: (fraction ?? exponent) ? 'FloatValue' : 'IntValue', value: number }
    if (string !== undefined) return { kind: 'StringValue', value: unquote(string) }
    if (block !== undefined) return { kind: 'StringValue', value: dedent(block) }
    if (word === 'null') return { kind: 'NullValue' }
    if (word === 'true' || word === 'false') return { kind: 'BooleanValue', value: word === 'true' }
    return { kind: 'EnumValue', value: word! }
  }
  const argument = (): ArgumentNode => {
    const of = name()
    expect(':')
    return { name: of, value: value() }
  }
  const args = () => many('(', argument, ')')
  const directives = (): DirectiveNode[] => {
    const all: DirectiveNode[] = []
    while (skip('@')) all.push({ name: name(), arguments: args() })
    return all
  }
  const type = (): TypeNode => {
    let of: TypeNode
    if (skip('[')) {
      of = { kind: 'ListType', type: type() }
      expect(']')
    } else of = { kind: 'NamedType', name: name() }
    return skip('!') ? { kind: 'NonNullType', type: of } : of
  }
  const variable = (): VariableDefinitionNode => {
    expect('$')
    const of = name()
    expect(':')
    const declared = { variable: { name: of }, type: type() }
    const variable = skip('=') ? { ...declared, defaultValue: value() } : declared
    directives()
    return variable
  }
  const selectionSet = (isOfField = false, isRoot = false): SelectionSetNode => {
    expect('{')
    const selections: SelectionNode[] = []
    while (at !== '}') selections.push(selection(isRoot))
    if (isOfField && !selections.some(isTypename)) {
      sent += `${text.slice(copied, start)} __typename`
      copied = start
    }
    advance()
    return { selections }
  }
  const selection = (isRoot: boolean): SelectionNode => {
    if (skip('...')) {
      if (match[2] !== undefined && at !== 'on')
        return { kind: 'FragmentSpread', name: name(), directives: directives() }
      const typeCondition = skip('on') ? { name: name() } : undefined
      return { kind: 'InlineFragment', typeCondition, directives: directives(), selectionSet: selectionSet() }
    }
    const first = name()
    const second = skip(':') ? name() : undefined
    if (isRoot) rootAt = start
    return {
      kind: 'Field',
      alias: second && first,
      name: second ?? first,
      arguments: args(),
      directives: directives(),
      selectionSet: at === '{' ? selectionSet(true) : undefined,
    }
  }
  const definition = (): DefinitionNode => {
    if (at === '{') return { kind: 'OperationDefinition', operation: 'query', selectionSet: selectionSet(false, true) }
    if (skip('fragment')) {
      const of = name()
      expect('on')
      return {
        kind: 'FragmentDefinition',
        name: of,
        typeCondition: { name: name() },
        directives: directives(),
        selectionSet: selectionSet(),
      }
    }
    if (at !== 'query' && at !== 'mutation' && at !== 'subscription') fail('an operation or a fragment')
    return {
      kind: 'OperationDefinition',
      operation: advance() as OperationKind,
      name: match[2] === undefined ? undefined : name(),
      variableDefinitions: many('(', variable, ')'),
      directives: directives(),
      selectionSet: selectionSet(false, true),
    }
  }

  advance()
  const definitions: DefinitionNode[] = []
  while (at !== '') definitions.push(definition())
  return { document: { kind: 'Document', definitions }, sent: sent + text.slice(copied), rootAt }
}

export const isTypename = (node: SelectionNode): boolean =>
  node.kind === 'Field' && node.name.value === '__typename' && !node.alias && !node.directives?.length

/** GraphQL's escapes are those of JSON, plus `\u{…}`. */
function unquote(quoted: string): string {
  return JSON.parse(
    quoted.replace(/\\u\{(\w+)\}/g, (_, hex) =>
      JSON.stringify(String.fromCodePoint(Number.parseInt(hex, 16))).slice(1, -1),
    ),
  )
}

/** A block string without the common indent of its lines and without blank lines around it (2.9.4). */
function dedent(block: string): string {
  const lines = block.replaceAll('\\"""', '"""').split(/\r\n|[\n\r]/)
  const indents = lines.slice(1).flatMap((line) => (line.trim() === '' ? [] : line.search(/[^ \t]/)))
  const indent = Math.min(...indents)
  return lines
    .map((line, n) => (n === 0 ? line : line.slice(indent)))
    .join('\n')
    .replace(/^(?:[ \t]*\n)+|(?:\n[ \t]*)+$/g, '')
}
