// SDL → Model: the whole flow, one statement per stage. Every stage reports its mistakes and continues, so that all mistakes
// of a schema are reported at once.

import { basename, extname, resolve } from 'node:path'
import type { DocumentNode } from 'graphql/language'
import { checkDirectives } from './check/check-directives.ts'
import { checkGraphql } from './check/check-graphql.ts'
import { checkInterfaces } from './check/check-interfaces.ts'
import { checkNames } from './check/check-names.ts'
import { readOperations } from './check/check-operations.ts'
import { MistakeReport } from './mistakes.ts'
import type { Account, Model } from './model.ts'
import { titleCase } from './names/case.ts'
import {
  abstractsOf,
  type DeclaredModel,
  declareTypes,
  enumsOf,
  resourcesOf,
  scalarsOf,
  valuesOf,
} from './parse/declare-types.ts'
import { findUse, wordArgument } from './parse/directive-arguments.ts'
import { outlineDocument, type SchemaOutline } from './parse/outline.ts'
import { joinDefinitions, orderDefinitions, parseSources, type SchemaSource } from './parse/schema-sources.ts'
import { readHolders } from './read/file-type.ts'
import { readAbstracts } from './read/read-abstracts.ts'
import { readAliases } from './read/read-aliases.ts'
import { readComputed } from './read/read-computed.ts'
import { readFields } from './read/read-fields.ts'
import { readHistories } from './read/read-histories.ts'
import { readIndexes } from './read/read-indexes.ts'
import { readMembers } from './read/read-members.ts'
import { readRelations } from './read/read-relations.ts'
import { readSoftDeletes } from './read/read-soft-delete.ts'
import { readValues } from './read/read-values.ts'
import { readViews } from './read/read-views.ts'
import { readDefaultChildren } from './rules/default-children.ts'
import { readAccount } from './rules/read-account.ts'
import { readRules } from './rules/read-rules.ts'
import { readStateMachines } from './rules/read-state-machines.ts'
import { reservedPaths, reservedTypes } from './system/reserved-names.ts'
import { builtInTypes, systemTypes } from './system/system-types.ts'

/** The schema of one file. Throws SchemaMistakes. */
export function loadModel(sdl: string, file: string): Model {
  const sources = [{ file, text: sdl }]
  return readModel(parseSources(sources), sources, basename(file, extname(file)))
}

/** The schema of the files of a folder, and its text. Which file a type stands in has no effect on either, except for places.
 *  Throws SchemaMistakes. */
export function loadFolder(sources: readonly SchemaSource[], folder: string): { model: Model; sdl: string } {
  const document = orderDefinitions(parseSources(sources))
  return { model: readModel(document, sources, basename(resolve(folder))), sdl: joinDefinitions(document) }
}

/** `name` is the name of the service, if the schema has none. */
function readModel(document: DocumentNode, sources: readonly SchemaSource[], name: string): Model {
  const report = new MistakeReport(sources.map(({ file }) => file))
  const outline = outlineDocument(document, report, reservedTypes())
  const declarations = declareTypes(outline, report, builtInTypes)
  readMembers(declarations)
  readValues(declarations)
  const pending = readFields(declarations)
  readRelations(pending, declarations)
  readComputed(declarations)
  readIndexes(declarations)
  readViews(declarations)
  readSoftDeletes(declarations)
  readHistories(declarations)
  readAbstracts(declarations)
  readDefaultChildren(declarations)
  const account = readAccount(declarations)
  readHolders(declarations, account)
  readRules(declarations, account)
  readStateMachines(declarations)
  checkInterfaces(declarations)
  const operations = readOperations(declarations, account)
  checkNames(declarations, account)
  checkDirectives(declarations)
  readAliases(declarations, operations, reservedPaths())
  checkServes(declarations)
  checkGraphql(document, report)
  report.finish()
  return { ...finish(declarations, account, name), operations }
}

/** A schema that has value types only serves nothing. */
function checkServes(declarations: DeclaredModel): void {
  const [first] = declarations.outline.types.values()
  if (resourcesOf(declarations).some(({ view }) => view === undefined) || declarations.report.mistakes.length > 0)
    return
  const hint = 'A type with an id is a resource: type Post { id: ID! title: String! }'
  declarations.report.at(first?.node ?? {}, 'No type of the schema has an id, so there is nothing to serve.', hint)
}

function finish(declarations: DeclaredModel, account: Account | null, name: string): Omit<Model, 'operations'> {
  // An interface that no resource implements exists in the file only.
  const abstracts = abstractsOf(declarations).filter(({ members }) => members.length > 0)
  const types = new Map(declarations.types)
  for (const { name, members } of abstractsOf(declarations)) if (members.length === 0) types.delete(name)
  for (const type of [...resourcesOf(declarations), ...abstracts]) {
    type.memberOf = type.memberOf.filter(({ members }) => members.length > 0)
  }
  return {
    service: serviceOf(declarations.outline, name),
    account,
    file: declarations.file,
    system: systemTypes(account),
    resources: resourcesOf(declarations).filter(({ view }) => view === undefined),
    views: resourcesOf(declarations).filter(({ view }) => view !== undefined),
    abstracts,
    values: valuesOf(declarations),
    enums: enumsOf(declarations),
    scalars: scalarsOf(declarations),
    inputs: [...declarations.inputs.values()],
    types,
    claims: declarations.claims,
  }
}

function serviceOf({ schema }: SchemaOutline, defaultName: string): Model['service'] {
  const use = findUse(schema, 'service')
  const name = wordArgument(use, 'name')?.text ?? titleCase(defaultName)
  return { name, description: wordArgument(use, 'description')?.text ?? null }
}
