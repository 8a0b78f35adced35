// Name conflicts: with GraphQL, with the server, with generated types, and between the types of the file.

import { didYouMean } from '#base'
import { placeOf } from '../mistakes.ts'
import type { Abstract, Account, Resource } from '../model.ts'
import { aggregateFields } from '../names/aggregates.ts'
import { kebabCase } from '../names/case.ts'
import { type GeneratedType, generatedTypes } from '../names/generated-types.ts'
import { abstractsOf, type DeclaredModel, enumsOf, resourcesOf, scalarsOf, valuesOf } from '../parse/declare-types.ts'
import { findUse, wordArgument, wordsArgument } from '../parse/directive-arguments.ts'
import { type DeclaredType, isRoot } from '../parse/outline.ts'
import { typeShape } from '../parse/type-shape.ts'
import { stateFields, transitionsName } from '../state-machines.ts'
import { reservedPaths, reservedTypes } from '../system/reserved-names.ts'
import { systemTypes } from '../system/system-types.ts'
import { isScalarName } from '../values/scalars.ts'

export function checkNames(declarations: DeclaredModel, account: Account | null): void {
  const { outline } = declarations
  for (const declared of outline.types.values()) {
    checkTypeName(declared, declarations)
    checkFieldNames(declared, declarations)
  }
  for (const abstract of abstractsOf(declarations)) checkMembers(abstract, declarations)
  checkGenerated(declarations, account)
  checkPaths(declarations)
  for (const resource of resourcesOf(declarations)) checkNested(resource, declarations)
}

function checkTypeName({ name, node, kind }: DeclaredType, { report }: DeclaredModel): void {
  if (name.startsWith('__'))
    report.at(node, `${name}: names that start with __ belong to GraphQL.`, 'Use another name.')
  else if (reservedTypes().includes(name))
    report.at(node, `${name} is a type of the server itself.`, `Use another name, such as Own${name}.`)
  else if (kind !== 'scalar' && (isScalarName(name) || name === 'Upload')) {
    report.at(node, `${name} is a scalar that is built in.`, 'Use another name.')
  } else if (isRoot(name) && kind !== 'object') {
    report.at(node, `${name} is for operations, so it must be a type.`, `Write: type ${name} { … }.`)
  }
}

/** Paths below a row that no list can have. */
const rowPaths: readonly string[] = ['changes', 'restorations', 'reversions', 'access', 'export']

/** Fields that the APIs add to each resource. */
const takenFields = ['_version', '_nodeId']

/** Keywords of filters, which stand beside field names there. */
const filterWords = ['and', 'or', 'not', 'isNull', 'isViewer']

/** Whether rows have the fields: those of inputs and operations stand in no request about rows. */
function isStored({ kind, name }: DeclaredType): boolean {
  return (kind === 'object' || kind === 'interface') && !isRoot(name)
}

function checkFieldNames(declared: DeclaredType, { report, types }: DeclaredModel): void {
  for (const { name, node } of declared.fields.values()) {
    const what = `${declared.name}.${name}`
    if (name.startsWith('__')) {
      report.at(node.name, `${what}: names that start with __ belong to GraphQL.`, 'Use another name.')
    } else if (declared.kind === 'object' && takenFields.includes(name)) {
      report.at(node.name, `${what} is taken: every resource has a ${name} of its own.`, 'Use another name.')
    } else if (name.startsWith('_') && isStored(declared)) {
      const message = `${what}: names of fields that start with _ belong to the server, such as _count and _version.`
      report.at(node.name, message, 'Use another name.')
    } else if ((declared.kind === 'object' || declared.kind === 'interface') && filterWords.includes(name)) {
      report.at(node.name, `${what} is taken: "${name}" is a word of the filters.`, 'Use another name.')
    }
  }
  const type = types.get(declared.name)
  for (const field of type?.kind === 'resource' ? type.fields.values() : []) {
    if ((field.kind !== 'many' && field.kind !== 'links') || !rowPaths.includes(kebabCase(field.name))) continue
    const clash = declared.fields.get(field.name)
    if (!clash || type?.kind !== 'resource') continue
    const message = `${declared.name}.${field.name} is taken: /${type.path}/{id}/${kebabCase(field.name)} belongs to the server.`
    report.at(clash.node.name, message, 'Use another name for this list.')
  }
  for (const state of type?.kind === 'resource' ? stateFields(type) : []) {
    const clash = declared.fields.get(transitionsName(state))
    if (!clash) continue
    const message = `${declared.name}.${clash.name} is taken: it lists the transitions of ${state.name}, which is a state machine.`
    report.at(clash.node.name, message, 'Use another name.')
  }
  for (const { name, node } of declared.values.values()) {
    if (name.startsWith('__'))
      report.at(node, `${name}: names that start with __ belong to GraphQL.`, 'Use another name.')
  }
}

/** A filter of an interface or union has its fields beside `_type` and the names of its members. */
function checkMembers({ name, fields, members }: Abstract, { report, declared }: DeclaredModel): void {
  for (const member of members) {
    const { node } = declared(member)
    if (notMembers.includes(member.name)) {
      report.at(node, `${member.name} can't be a type of ${name}: filters of ${name} name it.`, 'Use another name.')
    }
  }
  for (const field of fields.values()) {
    if (!members.some((member) => member.name === field.name)) continue
    const { node } = declared(field.owner).fields.get(field.name)!
    const message = `${field.owner.name}.${field.name} has the name of a type of ${name}, and filters of ${name} have both.`
    report.at(node.name, message, 'Use another name.')
  }
}

/** An enum has no values with the last three names (GraphQL specification, section 2.9.6). */
const notMembers = [...filterWords, 'true', 'false', 'null']

function checkGenerated(declarations: DeclaredModel, account: Account | null): void {
  const generated = generatedTypes({
    account,
    file: declarations.file,
    system: systemTypes(account),
    resources: resourcesOf(declarations),
    abstracts: abstractsOf(declarations).filter(({ members }) => members.length > 0),
    values: valuesOf(declarations),
    enums: enumsOf(declarations),
    scalars: scalarsOf(declarations),
  })
  checkInputs(declarations, new Set(generated.map(({ name }) => name)))
  const sources = new Map<string, GeneratedType['generatedFor']>()
  const reserved = new Set(reservedTypes())
  for (const { name, generatedFor, input } of generated) {
    if (generatedFor !== null && reserved.has(generatedFor.name)) continue // the type itself is reported
    const declared = declarations.outline.types.get(name)
    // The file may repeat a generated input under its own name.
    if (declared && !(declared.kind === 'input' && input)) {
      const message = `${name} is generated for ${describeSource(generatedFor)}, so the file can't define it.`
      declarations.report.at(declared.node, message, 'Remove it, or use another name.')
    }
    const other = sources.get(name)
    if (other !== undefined && generatedFor) {
      const { node } = declarations.outline.types.get(generatedFor.name)!
      const message = `${name} would be generated for ${describeSource(generatedFor)} and for ${describeSource(other)}.`
      declarations.report.at(node, message, 'Rename one of the two.')
    }
    sources.set(name, generatedFor)
  }
}

/** Inputs that repeat a generated one only describe it, and so do the inputs nested in them. */
function checkInputs({ outline, inputs, report }: DeclaredModel, ours: ReadonlySet<string>): void {
  if (report.mistakes.length > 0) return // one of them may be the cause
  const types = [...outline.types.values()]
  const inputTypes = types.flatMap(({ kind, fields }) =>
    [...fields.values()].flatMap(({ shape, args }) => [
      ...(kind === 'input' ? [shape.named] : []),
      ...args.map((arg) => typeShape(arg.type).named),
    ]),
  )
  const used = new Set(inputTypes.map(({ name }) => name.value))
  for (const name of inputs.keys()) {
    if (!ours.has(name)) continue
    const { node } = outline.types.get(name)!
    report.at(node, `Custom code can't take ${name}, which the server generates for writes.`, 'Give it another name.')
  }
  for (const { kind, name, node } of types) {
    if (kind !== 'input' || ours.has(name) || used.has(name)) continue
    const near = didYouMean(
      name,
      [...ours].filter((one) => one.endsWith('Input')),
    ).trim()
    report.at(node, `Nothing takes the input ${name}, so it has no effect.`, near || 'Remove it.')
  }
}

function describeSource(generatedFor: GeneratedType['generatedFor']): string {
  return generatedFor ? `${generatedFor.keyword} ${generatedFor.name}` : 'every service'
}

function checkPaths(declarations: DeclaredModel): void {
  const { report } = declarations
  /** The types that own each name, in URLs and among the queries. */
  const paths = new Map<string, Resource | Abstract>()
  const queries = new Map<string, Resource | Abstract>()
  for (const type of declarations.types.values()) {
    if (type.kind !== 'resource' && (type.kind !== 'abstract' || type.members.length === 0)) continue
    const { uses, node } = declarations.declared(type)
    const declaredPath = wordArgument(findUse(uses, 'resource'), 'path')
    const place = declaredPath?.node ?? node
    if (declaredPath && !isPath(declaredPath.text)) {
      report.at(
        place,
        `"${declaredPath.text}" is not a path.`,
        `Write it in lower-case kebab-case: "${kebabCase(declaredPath.text)}".`,
      )
      continue
    }
    if (reservedTypes().includes(type.name)) continue
    if (reservedPaths().includes(type.path)) {
      report.at(place, `/${type.path} is a path of the server itself.`, otherPath(type))
      continue
    }
    const { one, groups } = aggregateFields(type.list)
    const names = [type.list, `${type.list}Connection`, one, groups, ...(type.kind === 'resource' ? [type.single] : [])]
    const rival = paths.get(type.path)
    const clash = names.find((name) => queries.has(name))
    if (rival) {
      report.at(place, `${type.name} and ${rival.name} would both be at /${type.path}.`, otherPath(type))
    } else if (clash) {
      report.at(
        place,
        `${type.name} and ${queries.get(clash)!.name} would both have the query ${clash}.`,
        otherPath(type),
      )
    } else if (new Set(names).size < names.length) {
      report.at(place, `The list and the item of ${type.name} would both be the query ${type.single}.`, otherPath(type))
    }
    paths.set(type.path, type)
    for (const name of names) queries.set(name, type)
  }
  checkFormerPaths(paths, declarations)
}

function checkFormerPaths(paths: ReadonlyMap<string, Resource | Abstract>, declarations: DeclaredModel): void {
  const claims = new Map<string, Resource | Abstract>()
  for (const type of paths.values()) {
    for (const { text, node } of wordsArgument(findUse(declarations.declared(type).uses, 'resource'), 'was')) {
      const present = paths.get(text)
      if (!isPath(text)) declarations.report.at(node, `"${text}" is not a path.`, `Write: "${kebabCase(text)}".`)
      else if (present)
        declarations.report.at(node, `/${text} is the present path of ${present.name}.`, 'Remove it here.')
      else if (reservedPaths().includes(text))
        declarations.report.at(node, `/${text} is a path of the server itself.`, 'Remove it.')
      else if (claims.has(text)) {
        declarations.report.at(
          node,
          `/${text} can't lead to ${type.name} and ${claims.get(text)!.name}.`,
          'Keep one of them.',
        )
      }
      claims.set(text, type)
    }
  }
}

export function isPath(text: string): boolean {
  return /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(text)
}

function otherPath({ name }: Resource | Abstract): string {
  return `Give ${name} another path: @resource(path: "${kebabCase(name)}-list").`
}

/** Each list also has a connection and aggregates, and lists are nested paths. */
function checkNested(resource: Resource, { report, declared }: DeclaredModel): void {
  const { fields } = declared(resource)
  const nested = new Map<string, string>()
  for (const { name, kind } of resource.fields.values()) {
    if (kind !== 'many' && kind !== 'links') continue
    const { node } = fields.get(name)!
    const { one, groups } = aggregateFields(name)
    for (const generated of [`${name}Connection`, one, groups]) {
      const clash = fields.get(generated)
      if (clash === undefined) continue
      const { file, line } = placeOf(node.name)
      const place = file === placeOf(clash.node.name).file ? `on line ${line}` : `in ${file}:${line}`
      report.at(
        clash.node.name,
        `${resource.name}.${clash.name} is generated for the list ${name} ${place}.`,
        'Remove it, or use another name.',
      )
    }
    const path = kebabCase(name)
    const rival = nested.get(path)
    if (rival) {
      const url = `/${resource.path}/{id}/${path}`
      report.at(
        node.name,
        `${resource.name}.${rival} and ${resource.name}.${name} would both be at ${url}.`,
        'Rename one.',
      )
    }
    nested.set(path, name)
  }
}
