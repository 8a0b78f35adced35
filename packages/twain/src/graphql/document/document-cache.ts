// The text of a document → its operations, ready to be planned: parsed, checked against depth and cost, validated. Each step
// bounds the time of the next. The result is cached.

import {
  type DocumentNode,
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  OverlappingFieldsCanBeMergedRule,
  parse,
  Source,
  specifiedRules,
  type ValidationRule,
  VariablesInAllowedPositionRule,
  validate,
} from 'graphql'
import { ApiError, Cache, CacheBudget, didYouMean } from '#base'
import type { ServerTiming } from '#base/http'
import type { Limits, PlanMeasure } from '#plan'
import type { ApiSchema } from '../schema/build-schema.ts'
import { resolveTypeAliases } from '../schema/type-aliases.ts'
import type { DocumentMeasure } from './document-cost.ts'
import { checkDocumentLimits } from './document-limits.ts'
import { dropTokens } from './drop-tokens.ts'
import { FieldsCanMergeRule } from './fields-can-merge.ts'
import { formatDocumentError, RequestErrors } from './response-errors.ts'
import { findExcess, maxDocumentLevels, maxNameLength } from './scan-document.ts'
import { VariablePositionsRule } from './variable-positions.ts'
import { variableUses } from './variable-uses.ts'
import { type OperationVariable, variablesOf } from './variables.ts'

/** One operation of a document. */
export interface GraphqlOperation {
  kind: 'query' | 'mutation' | 'subscription'
  node: OperationDefinitionNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: OperationVariable[]
  /** With the largest page sizes that count. */
  measure: PlanMeasure
  /** Whether a page size of the document is a variable. */
  hasVariablePages: boolean
  /** Unique among all operations that this cache has read. */
  key: string
  /** The estimated memory of its document. */
  bytes: number
}

type DocumentOperations = ReadonlyMap<string, GraphqlOperation>

interface ParsedDocument {
  operations: DocumentOperations
  bytes: number
}

interface ValidationSetup {
  rules: readonly ValidationRule[]
  hideSuggestions: boolean
}

/** The rules of the specification: fields can merge in linear time, and String variables are accepted for ids. */
const ownRules = new Map<ValidationRule, ValidationRule>([
  [OverlappingFieldsCanBeMergedRule, FieldsCanMergeRule],
  [VariablesInAllowedPositionRule, VariablePositionsRule],
])
const rules = specifiedRules.map((rule) => ownRules.get(rule) ?? rule)
const rulesWithoutIntrospection = [...rules, NoSchemaIntrospectionCustomRule]

const maxErrors = 20

export class DocumentCache {
  readonly #apiSchema: ApiSchema
  readonly #limits: Limits
  readonly #validation: ValidationSetup
  readonly #cache: Cache<string, ParsedDocument>
  #readCount = 0

  constructor(apiSchema: ApiSchema, limits: Limits, introspection = true, budget = new CacheBudget()) {
    this.#apiSchema = apiSchema
    this.#cache = new Cache({ name: 'graphql_documents', budget, bytes: ({ bytes }) => bytes })
    this.#limits = limits
    this.#validation = { rules: introspection ? rules : rulesWithoutIntrospection, hideSuggestions: !introspection }
  }

  close(): void {
    this.#cache.close()
  }

  /** The requested operation. Throws RequestErrors or an ApiError. */
  find(text: string, operationName: string | null, stages: ServerTiming | null = null): GraphqlOperation {
    let document = this.#cache.get(text)
    if (document === undefined) {
      document = this.#parseAndValidate(text, stages)
      this.#cache.set(text, document)
    } else stages?.mark('parse')
    return chooseOperation(document.operations, operationName)
  }

  #parseAndValidate(text: string, stages: ServerTiming | null): ParsedDocument {
    const { schema, weights, typeAliases } = this.#apiSchema
    const parsed = resolveTypeAliases(this.#parse(text, stages), typeAliases)
    const measure = checkDocumentLimits(parsed, schema, this.#limits, weights)
    const { rules, hideSuggestions } = this.#validation
    const errors = validate(schema, parsed, rules, { maxErrors: maxErrors, hideSuggestions })
    if (errors.length > 0) {
      stages?.mark('validate')
      throw new RequestErrors(errors.map((error) => formatDocumentError(error, 'GRAPHQL_VALIDATION_FAILED')))
    }
    const bytes = dropTokens(parsed)
    const identity = { number: ++this.#readCount, bytes }
    return { operations: operationsOf(parsed, measure, identity, this.#apiSchema), bytes }
  }

  /** The time of a text that can not be parsed counts too. */
  #parse(text: string, stages: ServerTiming | null): DocumentNode {
    try {
      return parseDocument(text, this.#limits)
    } finally {
      stages?.mark('parse')
    }
  }
}

function parseDocument(text: string, limits: Limits): DocumentNode {
  try {
    checkText(text, limits)
    return parse(text, limits.documentTokens > 0 ? { maxLexicalTokens: limits.documentTokens } : {})
  } catch (error) {
    if (error instanceof GraphQLError) throw new RequestErrors([formatDocumentError(error, 'GRAPHQL_PARSE_FAILED')])
    throw error
  }
}

function checkText(text: string, { documentTokens: tokens }: Limits): void {
  const excess = findExcess(text, tokens)
  if (excess === null) return
  const messages = {
    comments: `The document has more than ${tokens} comments.`,
    levels: `The document is nested deeper than ${maxDocumentLevels} levels.`,
    letters: `The document has a name of more than ${maxNameLength} letters.`,
  }
  throw new GraphQLError(messages[excess.kind], { source: new Source(text), positions: [excess.at] })
}

function operationsOf(
  document: DocumentNode,
  { operations: measures, hasVariablePages }: DocumentMeasure,
  { number, bytes }: { number: number; bytes: number },
  { schema, roots, coercers }: ApiSchema,
): DocumentOperations {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const nodes: OperationDefinitionNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    else if (definition.kind === Kind.OPERATION_DEFINITION) nodes.push(definition)
  }
  const uses = variableUses(document, roots)
  return new Map(
    nodes.map((node): [string, GraphqlOperation] => {
      const kind = node.operation
      const variables = variablesOf(node, schema, uses, coercers, roots.nodes)
      const name = node.name?.value ?? ''
      const measure = measures.get(node)!
      return [name, { kind, node, fragments, variables, measure, hasVariablePages, key: `${number}${name}`, bytes }]
    }),
  )
}

/** GetOperation (specification, section 6.1). */
function chooseOperation(document: DocumentOperations, name: string | null): GraphqlOperation {
  if (name !== null) {
    const operation = document.get(name)
    if (operation !== undefined) return operation
    const near = didYouMean(
      name,
      [...document.keys()].filter((other) => other !== ''),
    )
    throw new ApiError('BAD_REQUEST', `The document has no operation named "${name}".${near}`)
  }
  const [operation, second] = document.values()
  if (operation === undefined) throw new ApiError('BAD_REQUEST', 'The document has no operation.')
  if (second === undefined) return operation
  const names = [...document.keys()].join(', ')
  throw new ApiError('BAD_REQUEST', 'The document has several operations; "operationName" must name one of them.', {
    hint: `There are ${names}.`,
  })
}
