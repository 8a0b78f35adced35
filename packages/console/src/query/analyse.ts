// Reads a GraphQL document while somebody writes it: what may stand at each place (completion, documentation), what is wrong, and which
// operations there are. It goes on after a mistake. The server checks the document again: what this file does not know, it lets pass.

import { nearest } from './nearest.ts'
import { queryTexts } from './query-texts.ts'
import {
  type DirectiveDefinition,
  type FieldDefinition,
  type GraphqlSchema,
  type InputDefinition,
  isComposite,
  isNonNull,
  isRequired,
  namedType,
  type OperationKind,
  printType,
  type TypeDefinition,
  type TypeRef,
  withoutNonNull,
} from './schema.ts'
import { type Token, tokensOf } from './tokens.ts'

interface Mistake {
  from: number
  to: number
  text: string
  /** Whether the document can not be parsed because of it. */
  isSyntax: boolean
}

/** A name that may stand at a place. */
export interface Candidate {
  name: string
  kind: 'field' | 'argument' | 'input field' | 'value' | 'type' | 'variable' | 'directive' | 'fragment' | 'keyword'
  /** Its type as text; empty: it has none. */
  type: string
  description: string | null
  deprecated: string | null
  field?: FieldDefinition
}

/** A place for a name. */
interface Slot {
  from: number
  to: number
  /** The name that stands there; null: none yet. */
  name: Token | null
  candidates(): readonly Candidate[]
}

export interface DocumentOperation {
  kind: OperationKind
  name: string | null
  from: number
  to: number
  variables: readonly DeclaredVariable[]
}

export interface DeclaredVariable {
  name: string
  type: TypeRef | null
  hasDefault: boolean
}

export interface FieldPlace {
  /** The response keys from the root: `books.author`. */
  path: string
  from: number
  to: number
}

export interface Analysis {
  tokens: readonly Token[]
  mistakes: readonly Mistake[]
  operations: readonly DocumentOperation[]
  fields: readonly FieldPlace[]
  slotAt(position: number): Slot | null
}

/** A longer document is neither checked nor completed. */
const maxLength = 200_000
const maxDepth = 100

export function analyse(text: string, schema: GraphqlSchema | null): Analysis {
  if (text.length > maxLength) return { tokens: [], mistakes: [], operations: [], fields: [], slotAt: () => null }
  return new Analyser(text, schema).run()
}

interface VariableUse {
  token: Token
  /** Of the place where it stands; null: not known. */
  type: TypeRef | null
  hasDefault: boolean
}

/** Of an operation or a fragment. */
interface Definition {
  uses: VariableUse[]
  spreads: Token[]
}

class Analyser {
  readonly #schema: GraphqlSchema | null
  readonly #tokens: readonly Token[]
  readonly #significant: readonly Token[]
  readonly #end: Token
  readonly #mistakes: Mistake[] = []
  readonly #slots: Slot[] = []
  readonly #fields: FieldPlace[] = []
  readonly #operations: (DocumentOperation &
    Definition & { declared: Map<string, { token: Token } & DeclaredVariable> })[] = []
  readonly #fragments = new Map<string, Definition & { token: Token; type: string | null }>()
  #index = 0
  #depth = 0
  #current: Definition = { uses: [], spreads: [] }
  #declared: ReadonlyMap<string, DeclaredVariable> | null = null

  constructor(text: string, schema: GraphqlSchema | null) {
    this.#schema = schema
    this.#tokens = tokensOf(text)
    this.#significant = this.#tokens.filter(({ kind }) => kind !== 'comment')
    this.#end = { kind: 'end', text: '', from: text.length, to: text.length }
  }

  run(): Analysis {
    for (const token of this.#tokens)
      if (token.kind === 'wrong') this.#wrong(token, queryTexts.wrongToken(token.text), true)
    while (this.#token.kind !== 'end') this.#definition()
    this.#slot(() => keywords)
    this.#checkNames()
    this.#checkVariables()
    return {
      tokens: this.#tokens,
      mistakes: this.#mistakes.toSorted((left, right) => left.from - right.from),
      operations: this.#operations,
      fields: this.#fields,
      slotAt: (position) => this.#slotAt(position),
    }
  }

  get #token(): Token {
    return this.#significant[this.#index] ?? this.#end
  }

  /** The end of the token before. */
  get #before(): number {
    return this.#significant[this.#index - 1]?.to ?? 0
  }

  #next(): Token {
    const token = this.#token
    this.#index += 1
    return token
  }

  #skip(text: string): boolean {
    if (this.#token.text !== text) return false
    this.#index += 1
    return true
  }

  #is(text: string): boolean {
    return this.#token.text === text
  }

  #wrong({ from, to }: { from: number; to: number }, text: string, isSyntax = false): void {
    this.#mistakes.push({ from, to, text, isSyntax })
  }

  #expected(what: string): void {
    const { kind, text, from, to } = this.#token
    if (kind === 'wrong') return // it is marked already
    const last = this.#significant.at(-1)
    if (kind === 'end') this.#wrong(last ?? { from: 0, to: 0 }, queryTexts.expectedAtEnd(what), true)
    else this.#wrong({ from, to }, queryTexts.expected(what, text), true)
  }

  #close(mark: string): void {
    if (!this.#skip(mark)) this.#expected(mark)
  }

  /** Where a name may stand now, and the name that stands there. */
  #slot(candidates: () => readonly Candidate[]): Token | null {
    const name = this.#token.kind === 'name' ? this.#token : null
    this.#slots.push({ from: this.#before, to: name?.to ?? this.#token.from, name, candidates })
    return name
  }

  #slotAt(position: number): Slot | null {
    const isInside = this.#tokens.some(
      ({ kind, from, to, text }) =>
        (kind === 'string' && from < position && position < to) ||
        (kind === 'comment' && from < position && position <= to) ||
        (kind === 'wrong' && text.startsWith('"') && from < position),
    )
    if (isInside) return null
    const named = this.#slots.find(({ name }) => name !== null && name.from <= position && position <= name.to)
    if (named !== undefined) return named
    const near = this.#slots.filter(({ from, to }) => from <= position && position <= to)
    // Of several at one place, the first one misses its name.
    return near.find(({ from }) => from === near.at(-1)!.from) ?? null
  }

  #definition(): void {
    const start = this.#token
    if (this.#is('{')) {
      this.#begin()
      this.#selectionSet(this.#schema?.roots.query, '')
      this.#addOperation('query', null, start, new Map())
      return
    }
    const keyword = this.#slot(() => keywords)
    if (keyword === null || !keywords.some(({ name }) => name === keyword.text)) {
      this.#expected(queryTexts.aDefinition)
      this.#next()
      while (this.#token.kind !== 'end' && !keywords.some(({ name }) => this.#is(name))) this.#next()
      return
    }
    this.#next()
    if (keyword.text === 'fragment') this.#fragment()
    else this.#operation(keyword.text as OperationKind, keyword)
  }

  #begin(): void {
    this.#current = { uses: [], spreads: [] }
    this.#declared = null
  }

  #operation(kind: OperationKind, start: Token): void {
    this.#begin()
    const name = this.#token.kind === 'name' ? this.#next() : null
    const declared = this.#variableDefinitions()
    this.#declared = declared
    this.#directives(kind.toUpperCase())
    const root = this.#schema?.roots[kind]
    if (this.#schema !== null && root === undefined) this.#wrong(start, queryTexts.noOperations(kind))
    this.#selectionSet(root, '')
    this.#addOperation(kind, name, start, declared)
  }

  #addOperation(
    kind: OperationKind,
    name: Token | null,
    start: Token,
    declared: Map<string, { token: Token } & DeclaredVariable>,
  ): void {
    this.#operations.push({
      kind,
      name: name?.text ?? null,
      from: start.from,
      to: this.#before,
      variables: [...declared.values()],
      declared,
      ...this.#current,
    })
  }

  #fragment(): void {
    this.#begin()
    const name = this.#token.kind === 'name' && !this.#is('on') ? this.#next() : null
    if (name === null) this.#expected(queryTexts.aName)
    const hasType = this.#skip('on')
    if (!hasType) this.#expected('on')
    const type = hasType ? this.#typeCondition() : null
    this.#directives('FRAGMENT_DEFINITION')
    this.#selectionSet(type === null ? undefined : this.#schema?.types.get(type), null)
    if (name === null) return
    if (this.#fragments.has(name.text)) this.#wrong(name, queryTexts.twice(name.text))
    this.#fragments.set(name.text, { token: name, type, ...this.#current })
  }

  #typeCondition(): string | null {
    const candidates = () => this.#types((type) => isComposite(type))
    const name = this.#slot(candidates)
    if (name === null) {
      this.#expected(queryTexts.aType)
      return null
    }
    this.#next()
    this.#checkName(name, candidates, queryTexts.noType)
    return name.text
  }

  #types(filter: (type: TypeDefinition) => boolean): Candidate[] {
    return [...(this.#schema?.types.values() ?? [])]
      .filter(filter)
      .map(({ name, description }) => ({ name, kind: 'type', type: '', description, deprecated: null }))
  }

  #variableDefinitions(): Map<string, { token: Token } & DeclaredVariable> {
    const declared = new Map<string, { token: Token } & DeclaredVariable>()
    if (!this.#skip('(')) return declared
    while (this.#skip('$')) {
      const token = this.#token.kind === 'name' ? this.#next() : null
      if (token === null) this.#expected(queryTexts.aName)
      this.#close(':')
      const type = this.#type()
      const hasDefault = this.#skip('=')
      if (hasDefault) this.#value(type)
      this.#directives('VARIABLE_DEFINITION')
      if (token === null) continue
      if (declared.has(token.text)) this.#wrong(token, queryTexts.twice(`$${token.text}`))
      declared.set(token.text, { name: token.text, token, type, hasDefault })
    }
    this.#close(')')
    return declared
  }

  #type(): TypeRef | null {
    let type: TypeRef | null
    if (this.#skip('[')) {
      const inner = this.#type()
      this.#close(']')
      type = inner && { kind: 'LIST', name: null, ofType: inner }
    } else {
      const candidates = () => this.#types((one) => !isComposite(one))
      const name = this.#slot(candidates)
      if (name === null) {
        this.#expected(queryTexts.aType)
        return null
      }
      this.#next()
      this.#checkName(name, candidates, queryTexts.noInputType)
      const kind = this.#schema?.types.get(name.text)?.kind
      type = kind === undefined ? null : { kind, name: name.text, ofType: null }
    }
    if (!this.#skip('!')) return type
    return type && { kind: 'NON_NULL', name: null, ofType: type }
  }

  /** `path`: the response keys from the root; null: inside of a fragment. */
  #selectionSet(type: TypeDefinition | undefined, path: string | null): void {
    const open = this.#token
    if (!this.#skip('{')) {
      this.#expected('{')
      return
    }
    if (this.#depth >= maxDepth) {
      this.#index = this.#significant.length
      return
    }
    this.#depth += 1
    const candidates = () => this.#fieldsOf(type)
    let count = 0
    for (;;) {
      if (this.#skip('...')) this.#spread(type, path)
      else if (this.#slot(candidates) !== null) this.#field(type, candidates, path)
      else break
      count += 1
    }
    if (count === 0 && this.#is('}')) this.#wrong({ from: open.from, to: this.#token.to }, queryTexts.noSelection)
    this.#depth -= 1
    if (this.#skip('}')) return
    this.#expected('}')
    // What stands there belongs to no selection: leave it out, and go on with the next.
    while (this.#token.kind !== 'end' && !this.#is('}') && !keywords.some(({ name }) => this.#is(name))) this.#next()
    this.#skip('}')
  }

  #fieldsOf(type: TypeDefinition | undefined): Candidate[] {
    if (type === undefined) return []
    return [...(type.fields ?? []).map(fieldCandidate), ...metaFields(type, this.#schema!)]
  }

  #field(type: TypeDefinition | undefined, candidates: () => readonly Candidate[], path: string | null): void {
    const first = this.#next()
    let name: Token | null = first
    if (this.#skip(':')) {
      this.#slots.pop() // an alias is free
      name = this.#slot(candidates)
      if (name === null) {
        this.#expected(queryTexts.aField)
        return
      }
      this.#next()
    }
    const place = path === null ? null : path === '' ? first.text : `${path}.${first.text}`
    if (place !== null) this.#fields.push({ path: place, from: first.from, to: name.to })
    if (type !== undefined) this.#checkName(name, candidates, (text) => queryTexts.noField(text, type.name))
    const field = type === undefined ? undefined : candidates().find((one) => one.name === name.text)?.field
    this.#arguments(field?.args ?? null, name)
    this.#directives('FIELD')
    const of = field === undefined ? undefined : this.#schema?.types.get(namedType(field.type))
    if (this.#is('{')) {
      if (of !== undefined && !isComposite(of)) this.#wrong(name, queryTexts.isLeaf(name.text, of.name))
      this.#selectionSet(isComposite(of) ? of : undefined, place)
    } else if (isComposite(of)) this.#wrong(name, queryTexts.needsSelection(name.text, of!.name))
  }

  #spread(type: TypeDefinition | undefined, path: string | null): void {
    if (this.#is('on') || this.#is('{') || this.#is('@')) {
      const condition = this.#skip('on') ? this.#typeCondition() : (type?.name ?? null)
      this.#directives('INLINE_FRAGMENT')
      this.#selectionSet(condition === null ? undefined : this.#schema?.types.get(condition), path)
      return
    }
    const name = this.#slot(() => [
      onKeyword,
      ...[...this.#fragments].map(([name, { type: of }]): Candidate => plain(name, 'fragment', of ?? '')),
    ])
    if (name === null) {
      this.#expected(queryTexts.aFragment)
      return
    }
    this.#next()
    this.#current.spreads.push(name)
    this.#directives('FRAGMENT_SPREAD')
  }

  #directives(location: string): void {
    while (this.#skip('@')) {
      const candidates = () =>
        (this.#schema?.directives ?? [])
          .filter(({ locations }) => locations.includes(location))
          .map((one): Candidate => ({ ...plain(one.name, 'directive', ''), description: one.description }))
      const name = this.#slot(candidates)
      if (name === null) {
        this.#expected(queryTexts.aName)
        return
      }
      this.#next()
      this.#checkName(name, candidates, queryTexts.noDirective)
      const directive: DirectiveDefinition | undefined = this.#schema?.directives.find((one) => one.name === name.text)
      this.#arguments(directive?.args ?? null, name)
    }
  }

  /** `definitions`: null where they are not known. */
  #arguments(definitions: readonly InputDefinition[] | null, of: Token): void {
    const given = this.#skip('(') ? this.#members(definitions, 'argument', of.text, ')') : []
    this.#checkRequired(definitions, given, of)
  }

  /** The members of an object value, or arguments. Returns their names. */
  #members(
    definitions: readonly InputDefinition[] | null,
    kind: 'argument' | 'input field',
    of: string,
    end: string,
  ): string[] {
    const given: string[] = []
    const candidates = () =>
      (definitions ?? []).filter(({ name }) => !given.includes(name)).map((one) => inputCandidate(one, kind))
    const all = () => (definitions ?? []).map((one) => inputCandidate(one, kind))
    let name = this.#slot(candidates)
    while (name !== null) {
      const written = name
      this.#slots.at(-1)!.candidates = () =>
        all().filter((one) => one.name === written.text || !given.includes(one.name))
      this.#next()
      if (definitions !== null) this.#checkName(written, all, (text) => queryTexts.noMember(kind, text, of))
      if (given.includes(written.text)) this.#wrong(written, queryTexts.twice(written.text))
      given.push(written.text)
      this.#close(':')
      const definition = definitions?.find((one) => one.name === written.text)
      this.#value(definition?.type ?? null, definition !== undefined && definition.defaultValue !== null)
      name = this.#slot(candidates)
    }
    this.#close(end)
    return given
  }

  #checkRequired(
    definitions: readonly InputDefinition[] | null,
    given: readonly string[],
    at: { from: number; to: number; text?: string },
  ): void {
    const missing = (definitions ?? []).filter((one) => isRequired(one) && !given.includes(one.name))
    if (missing.length === 0) return
    this.#wrong(at, queryTexts.missing(missing.map(({ name, type }) => `${name}: ${printType(type)}`).join(', ')))
  }

  #value(type: TypeRef | null, hasDefault = false): void {
    const token = this.#token
    if (this.#skip('$')) {
      this.#variable(type, hasDefault)
      return
    }
    const inner = type === null ? null : withoutNonNull(type)
    if (this.#is('[')) {
      this.#list(token, inner)
      return
    }
    // A single value stands for a list with it.
    const item = inner?.kind === 'LIST' ? namedOf(inner) : inner
    const definition = item?.name == null ? undefined : this.#schema?.types.get(item.name)
    if (this.#skip('{')) {
      this.#object(token, definition)
      return
    }
    const candidates = () => [...valuesOf(definition), ...this.#variables()]
    const name = this.#slot(candidates)
    if (name !== null) {
      this.#next()
      this.#checkWord(name, type, definition)
      return
    }
    if (token.kind !== 'number' && token.kind !== 'string') {
      this.#expected(queryTexts.aValue(type === null ? '' : printType(type)))
      if (token.kind === 'wrong') this.#next()
      return
    }
    this.#next()
    const isFitting =
      definition === undefined || (definition.kind === 'SCALAR' && (fitting[definition.name]?.(token) ?? true))
    if (!isFitting) this.#wrong(token, queryTexts.notA(printType(type!), token.text))
  }

  #list(open: Token, type: TypeRef | null): void {
    this.#next()
    const isScalar = type?.kind === 'SCALAR' && fitting[type.name!] === undefined // a scalar of its own may be a list
    if (type !== null && type.kind !== 'LIST' && !isScalar) this.#wrong(open, queryTexts.notA(printType(type), '['))
    const of = type?.kind === 'LIST' ? type.ofType : null
    while (this.#token.kind !== 'end' && !this.#is(']')) {
      const index = this.#index
      this.#value(of)
      if (this.#index === index) break
    }
    this.#close(']')
  }

  #object(open: Token, definition: TypeDefinition | undefined): void {
    const isInput = definition?.kind === 'INPUT_OBJECT'
    if (
      definition !== undefined &&
      !isInput &&
      (definition.kind !== 'SCALAR' || fitting[definition.name] !== undefined)
    )
      this.#wrong(open, queryTexts.notA(definition.name, '{'))
    const fields = isInput ? definition.inputFields! : null
    const given = this.#members(fields, 'input field', definition?.name ?? '', '}')
    this.#checkRequired(fields, given, { from: open.from, to: this.#before })
  }

  #checkWord(name: Token, type: TypeRef | null, definition: TypeDefinition | undefined): void {
    if (type === null || definition === undefined) return
    if (name.text === 'null') {
      if (isNonNull(type)) this.#wrong(name, queryTexts.notA(printType(type), 'null'))
      return
    }
    if (definition.kind === 'ENUM') {
      this.#checkName(
        name,
        () => valuesOf(definition),
        (text) => queryTexts.noValue(text, definition.name),
      )
      return
    }
    const isBoolean = name.text === 'true' || name.text === 'false'
    const isFitting = definition.kind === 'SCALAR' && (fitting[definition.name]?.(name) ?? true)
    if (!isFitting || (!isBoolean && fitting[definition.name] !== undefined)) {
      this.#wrong(name, queryTexts.notA(printType(type), name.text))
    }
  }

  #variables(): Candidate[] {
    return [...(this.#declared?.values() ?? [])].map(({ name, type }) =>
      plain(`$${name}`, 'variable', type === null ? '' : printType(type)),
    )
  }

  #variable(type: TypeRef | null, hasDefault: boolean): void {
    const name = this.#slot(() => this.#variablesAtDollar())
    if (name === null) {
      this.#expected(queryTexts.aName)
      return
    }
    this.#next()
    this.#current.uses.push({ token: name, type, hasDefault })
  }

  #variablesAtDollar(): Candidate[] {
    return this.#variables().map((one) => ({ ...one, name: one.name.slice(1) }))
  }

  #checkName(name: Token, candidates: () => readonly Candidate[], text: (name: string) => string): void {
    if (this.#schema === null) return
    const names = candidates().map((one) => one.name)
    if (names.includes(name.text)) return
    const near = nearest(name.text, names)
    this.#wrong(name, near === null ? text(name.text) : `${text(name.text)} ${queryTexts.didYouMean(near)}`)
  }

  #checkNames(): void {
    const names = this.#operations.map(({ name }) => name)
    for (const { name, from, to } of this.#operations) {
      if (name === null && names.length > 1) this.#wrong({ from, to: from + 1 }, queryTexts.needsName)
      else if (names.indexOf(name) !== names.lastIndexOf(name)) this.#wrong({ from, to }, queryTexts.twice(name!))
    }
    const spreads = [...this.#operations, ...this.#fragments.values()].flatMap((one) => one.spreads)
    for (const token of spreads) {
      if (this.#fragments.has(token.text)) continue
      const near = nearest(token.text, [...this.#fragments.keys()])
      this.#wrong(token, queryTexts.noFragment(token.text) + (near === null ? '' : ` ${queryTexts.didYouMean(near)}`))
    }
    for (const [name, { token }] of this.#fragments)
      if (!spreads.some(({ text }) => text === name)) this.#wrong(token, queryTexts.unused(name))
  }

  /** Variables of fragments belong to each operation that uses the fragment. */
  #checkVariables(): void {
    const reported = new Set<Token>()
    for (const { declared, ...operation } of this.#operations) {
      const uses = this.#usesOf(operation, new Set())
      for (const { token, type, hasDefault } of uses) {
        const variable = declared.get(token.text)
        if (reported.has(token)) continue
        if (variable === undefined) {
          reported.add(token)
          const near = nearest(token.text, [...declared.keys()])
          const text = queryTexts.undeclared(token.text)
          this.#wrong(token, near === null ? text : `${text} ${queryTexts.didYouMean(`$${near}`)}`)
        } else if (variable.type !== null && type !== null && !isUsable(variable, type, hasDefault)) {
          reported.add(token)
          this.#wrong(token, queryTexts.otherType(token.text, printType(variable.type), printType(type)))
        }
      }
      for (const { name, token } of declared.values())
        if (!uses.some((use) => use.token.text === name)) this.#wrong(token, queryTexts.unused(`$${name}`))
    }
  }

  #usesOf({ uses, spreads }: Definition, seen: Set<string>): VariableUse[] {
    return [
      ...uses,
      ...spreads.flatMap(({ text }) => {
        const fragment = this.#fragments.get(text)
        if (fragment === undefined || seen.has(text)) return []
        seen.add(text)
        return this.#usesOf(fragment, seen)
      }),
    ]
  }
}

function plain(name: string, kind: Candidate['kind'], type: string): Candidate {
  return { name, kind, type, description: null, deprecated: null }
}

const keywords = ['query', 'mutation', 'subscription', 'fragment'].map((name) => plain(name, 'keyword', ''))
const onKeyword = plain('on', 'keyword', '')

function fieldCandidate(field: FieldDefinition): Candidate {
  const { name, type, description, isDeprecated, deprecationReason } = field
  const deprecated = isDeprecated ? (deprecationReason ?? '') : null
  return { name, kind: 'field', type: printType(type), description, deprecated, field }
}

function inputCandidate(definition: InputDefinition, kind: 'argument' | 'input field'): Candidate {
  const { name, type, defaultValue, description, isDeprecated, deprecationReason } = definition
  const text = `${printType(type)}${defaultValue === null ? '' : ` = ${defaultValue}`}`
  return { name, kind, type: text, description, deprecated: isDeprecated ? (deprecationReason ?? '') : null }
}

/** `__typename`, and at the root of queries `__schema` and `__type`. */
function metaFields(type: TypeDefinition, { roots }: GraphqlSchema): Candidate[] {
  const field = (name: string, of: TypeRef, args: readonly InputDefinition[] = []): Candidate =>
    fieldCandidate({ name, description: null, type: of, args, isDeprecated: false, deprecationReason: null })
  const nonNull = (kind: string, name: string): TypeRef => ({
    kind: 'NON_NULL',
    name: null,
    ofType: { kind, name, ofType: null },
  })
  const all = [field('__typename', nonNull('SCALAR', 'String'))]
  if (type !== roots.query) return all
  const name = { name: 'name', description: null, type: nonNull('SCALAR', 'String'), defaultValue: null }
  return [
    ...all,
    field('__schema', nonNull('OBJECT', '__Schema')),
    field('__type', { kind: 'OBJECT', name: '__Type', ofType: null }, [name]),
  ]
}

function valuesOf(definition: TypeDefinition | undefined): Candidate[] {
  if (definition?.name === 'Boolean') return ['true', 'false'].map((name) => plain(name, 'value', 'Boolean'))
  return (definition?.enumValues ?? []).map(({ name, description, isDeprecated, deprecationReason }) => ({
    ...plain(name, 'value', definition!.name),
    description,
    deprecated: isDeprecated ? (deprecationReason ?? '') : null,
  }))
}

/** Which literals fit the scalars of GraphQL. Others may take any. */
const fitting: Record<string, (token: Token) => boolean> = {
  Int: ({ kind, text }) => kind === 'number' && /^-?\d+$/.test(text) && Number(text) === (Number(text) | 0),
  Float: ({ kind }) => kind === 'number',
  Boolean: ({ text }) => text === 'true' || text === 'false',
  String: ({ kind }) => kind === 'string',
  ID: ({ kind, text }) => kind === 'string' || /^-?\d+$/.test(text),
}

function namedOf(type: TypeRef): TypeRef {
  return type.ofType == null ? type : namedOf(type.ofType)
}

/** GraphQL, 5.8.5: a variable with a default may stand where a value is required. */
function isUsable({ type, hasDefault }: DeclaredVariable, place: TypeRef, placeHasDefault: boolean): boolean {
  if (isNonNull(place) && !isNonNull(type!)) return (hasDefault || placeHasDefault) && isSubtype(type!, place.ofType!)
  return isSubtype(type!, place)
}

function isSubtype(type: TypeRef, place: TypeRef): boolean {
  if (isNonNull(place)) return isNonNull(type) && isSubtype(type.ofType!, place.ofType!)
  if (isNonNull(type)) return isSubtype(type.ofType!, place)
  if (place.kind === 'LIST') return type.kind === 'LIST' && isSubtype(type.ofType!, place.ofType!)
  return type.name === place.name && type.kind !== 'LIST'
}
