// A document's text → its operations, ready to be planned: parsed, held against depth and cost, validated. Each step is
// bounded by the one before it. What was understood once is kept.

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
  validate,
} from 'graphql'
import { ApiError, Cache, cacheGauges, didYouMean, type Gauge, type ServerTiming } from '#base'
import type { Limits, Measure } from '#plan'
import type { Contract } from '../schema/build-schema.ts'
import { withPresentTypes } from '../schema/type-aliases.ts'
import { limitDocument } from './document-cost.ts'
import { FieldsCanMergeRule } from './fields-can-merge.ts'
import { documentError, RequestErrors } from './request-errors.ts'
import { deepestDocument, excessOf, longestName } from './scan-document.ts'
import { variableUses } from './variable-uses.ts'
import { type Variable, variablesOf } from './variables.ts'

/** One operation of a document. */
export interface Operation {
  kind: 'query' | 'mutation' | 'subscription'
  node: OperationDefinitionNode
  fragments: ReadonlyMap<string, FragmentDefinitionNode>
  variables: Variable[]
  measure: Measure
  /** No other operation that was read has it. */
  key: string
}

type Document = ReadonlyMap<string, Operation>

interface Validation {
  rules: readonly ValidationRule[]
  hideSuggestions: boolean
}

/** As the specification has them, in linear time. */
const rules = specifiedRules.map((rule) => (rule === OverlappingFieldsCanBeMergedRule ? FieldsCanMergeRule : rule))
const rulesWithoutIntrospection = [...rules, NoSchemaIntrospectionCustomRule]

const mostErrors = 20
/** Long documents are rare, and each is heavy: few are kept, and the longest none. */
const short = 4_000
const longest = 100_000

export class Documents {
  readonly #contract: Contract
  readonly #limits: Limits
  readonly #validation: Validation
  readonly #short = new Cache<string, Document>(900)
  readonly #long = new Cache<string, Document>(50)
  #read = 0

  constructor(contract: Contract, limits: Limits, introspection = true) {
    this.#contract = contract
    this.#limits = limits
    this.#validation = { rules: introspection ? rules : rulesWithoutIntrospection, hideSuggestions: !introspection }
  }

  gauges(): Gauge[] {
    return cacheGauges('graphql documents', this.#short, this.#long)
  }

  /** The operation that is asked for. Throws RequestErrors or a Fault. */
  find(text: string, operationName: string | null, stages: ServerTiming | null = null): Operation {
    const cache = text.length <= short ? this.#short : this.#long
    let document = cache.get(text)
    if (document === undefined) {
      document = this.#understand(text, stages)
      if (text.length <= longest) cache.set(text, document)
    } else stages?.mark('parse')
    return choose(document, operationName)
  }

  #understand(text: string, stages: ServerTiming | null): Document {
    const { schema, costs, formerTypes } = this.#contract
    const parsed = withPresentTypes(parseDocument(text, this.#limits), formerTypes)
    stages?.mark('parse')
    const { operations } = limitDocument(parsed, schema, this.#limits, costs)
    const { rules, hideSuggestions } = this.#validation
    const errors = validate(schema, parsed, rules, { maxErrors: mostErrors, hideSuggestions })
    if (errors.length > 0) {
      stages?.mark('validate')
      throw new RequestErrors(errors.map((error) => documentError(error, 'GRAPHQL_VALIDATION_FAILED')))
    }
    return operationsOf(parsed, operations, ++this.#read, this.#contract)
  }
}

function parseDocument(text: string, limits: Limits): DocumentNode {
  try {
    boundText(text, limits)
    return parse(text, limits.documentTokens > 0 ? { maxLexicalTokens: limits.documentTokens } : {})
  } catch (error) {
    if (error instanceof GraphQLError) throw new RequestErrors([documentError(error, 'GRAPHQL_PARSE_FAILED')])
    throw error
  }
}

function boundText(text: string, { documentTokens: tokens }: Limits): void {
  const excess = excessOf(text, tokens)
  if (excess === null) return
  const sentences = {
    comments: `The document has more than ${tokens} comments.`,
    levels: `The document is nested deeper than ${deepestDocument} levels.`,
    letters: `The document has a name of more than ${longestName} letters.`,
  }
  throw new GraphQLError(sentences[excess.of], { source: new Source(text), positions: [excess.at] })
}

function operationsOf(
  document: DocumentNode,
  measures: ReadonlyMap<OperationDefinitionNode, Measure>,
  number: number,
  { schema, roots, coercers }: Contract,
): Document {
  const fragments = new Map<string, FragmentDefinitionNode>()
  const nodes: OperationDefinitionNode[] = []
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition)
    else if (definition.kind === Kind.OPERATION_DEFINITION) nodes.push(definition)
  }
  const uses = variableUses(document, roots)
  return new Map(
    nodes.map((node): [string, Operation] => {
      const kind = node.operation
      const variables = variablesOf(node, schema, uses, coercers)
      const name = node.name?.value ?? ''
      return [name, { kind, node, fragments, variables, measure: measures.get(node)!, key: `${number}${name}` }]
    }),
  )
}

/** GetOperation of the specification, section 6.1. */
function choose(document: Document, name: string | null): Operation {
  if (name !== null) {
    const operation = document.get(name)
    if (operation !== undefined) return operation
    const near = didYouMean(
      name,
      [...document.keys()].filter((known) => known !== ''),
    )
    throw new ApiError('BAD_REQUEST', `The document has no operation named "${name}".${near}`)
  }
  const [operation, second] = document.values()
  if (operation === undefined) throw new ApiError('BAD_REQUEST', 'The document has no operation.')
  if (second === undefined) return operation
  const names = [...document.keys()].join(', ')
  throw new ApiError('BAD_REQUEST', 'The document has several operations; "operationName" must say which one.', {
    hint: `There are ${names}.`,
  })
}
