// The types of the server itself, read from the built-in SDL by the stages that read a schema file.

import { parse } from 'graphql/language'
import { MistakeReport } from '../mistakes.ts'
import type { Model, Resource, SystemType, SystemTypes } from '../model.ts'
import { declareTypes, enumsOf, resourcesOf, valuesOf } from '../parse/declare-types.ts'
import { outlineDocument } from '../parse/outline.ts'
import { readFields } from '../read/read-fields.ts'
import { readIndexes } from '../read/read-indexes.ts'
import { readRelations } from '../read/read-relations.ts'
import { readValues } from '../read/read-values.ts'
import { readRules } from '../rules/read-rules.ts'
import { readStateMachines } from '../rules/read-state-machines.ts'
import { systemSdl } from './system-sdl.ts'

/** What the SDL can't say of each type. */
const traits: Readonly<Record<string, SystemType>> = {
  BackgroundJob: {
    plural: 'Background jobs',
    order: [{ field: 'createdAt', direction: 'DESC' }],
    listArguments: ['state', 'name'],
  },
  ApiKey: { plural: 'API keys', order: [{ field: 'createdAt', direction: 'DESC' }], listArguments: [] },
}

let loaded: SystemTypes | null = null

/** The same objects for every model: nothing writes to them. */
export function systemTypes(): SystemTypes {
  loaded ??= loadSystemTypes()
  return loaded
}

function loadSystemTypes(): SystemTypes {
  const report = new MistakeReport('built-in')
  const declarations = declareTypes(outlineDocument(parse(systemSdl), report), report)
  readValues(declarations)
  readRelations(readFields(declarations), declarations)
  readIndexes(declarations)
  readRules(declarations, null)
  readStateMachines(declarations)
  report.finish()
  const resources = resourcesOf(declarations)
  for (const resource of resources) resource.system = traits[resource.name]!
  return { resources, values: valuesOf(declarations), enums: enumsOf(declarations) }
}

/** The resources of the file, and those of the server itself. */
export function servedResources({ resources, system }: Pick<Model, 'resources' | 'system'>): Resource[] {
  return [...resources, ...system.resources]
}
