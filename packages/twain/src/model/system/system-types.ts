// The types of the server itself, read from the built-in SDL by the stages that read a schema file.

import { parse } from 'graphql/language'
import { MistakeReport } from '../mistakes.ts'
import type { Account, EnumType, Model, Resource, StoredField, SystemType, SystemTypes } from '../model.ts'
import { type BuiltInTypes, declareTypes, enumsOf, resourcesOf, valuesOf } from '../parse/declare-types.ts'
import { outlineDocument } from '../parse/outline.ts'
import { readFields } from '../read/read-fields.ts'
import { readIndexes } from '../read/read-indexes.ts'
import { readRelations } from '../read/read-relations.ts'
import { readValues } from '../read/read-values.ts'
import { readRules } from '../rules/read-rules.ts'
import { readStateMachines } from '../rules/read-state-machines.ts'
import { bindFile, bindToAccount } from './bind-types.ts'
import { systemSdl } from './system-sdl.ts'

const rowNumber = 'rowNumber'

/** What the SDL can't say of a type. */
interface Traits extends Omit<SystemType, 'listArguments' | 'order' | 'rowNumber'> {
  listArguments?: readonly string[]
  /** `rowNumber`: the order in which the rows were inserted. Absent: by their ids. */
  order?: [field: string, direction: 'ASC' | 'DESC']
  /** Fields that no write sets, not even a create. */
  setByServer?: readonly string[]
  /** See `isShownOnce` and `isOpaque` of a field. */
  shownOnce?: readonly string[]
  opaque?: readonly string[]
  /** The field that says whether the row is the session of the viewer. */
  ofViewer?: string
}

const traits: Readonly<Record<string, Traits>> = {
  BackgroundJob: { plural: 'Background jobs', order: ['createdAt', 'DESC'], listArguments: ['state', 'name'] },
  ApiKey: {
    plural: 'API keys',
    order: ['createdAt', 'DESC'],
    setByServer: ['key', 'lastUsedAt'],
    shownOnce: ['key'],
    opaque: ['key'],
    examples: { name: 'nightly import', roles: ['importer'] },
  },
  Webhook: {
    plural: 'Webhooks',
    order: ['createdAt', 'ASC'],
    pageSize: 100, // there are no more
    setByServer: ['paused'],
    shownOnce: ['secret'],
    opaque: ['secret'],
    examples: { url: 'https://example.com/hook', events: ['*'], where: null, secret: null, paused: null },
  },
  // Those of one transaction have the same time.
  WebhookDelivery: {
    plural: 'Webhook deliveries',
    order: [rowNumber, 'DESC'],
    opaque: ['event'],
    isRedelivered: true,
    examples: { type: 'post.created', event: '5f1c0a9e:…', state: 'delivered', nextAt: null },
  },
  Token: {
    plural: 'Tokens',
    order: ['createdAt', 'DESC'],
    pageSize: 100, // an account has no more
    ownRequests: { collection: ['POST', 'DELETE'] },
    opaque: ['current'],
    ofViewer: 'current',
    examples: { how: 'PASSWORD', client: 'Firefox 132 on Linux', address: '203.0.113.0/24' },
    issued: [
      { name: 'token', description: 'The access token. Only `createToken` returns it.' },
      { name: 'refreshToken', description: 'Renews the token, once. Only `createToken` returns it.' },
      {
        name: 'device',
        description:
          'Shows later, as `device` of `createToken`, that this device has signed in to the account. Only a sign-in returns it.',
      },
      {
        name: 'ticket',
        description:
          'For `?ticket=` of one event stream and its reconnects, before `expiresAt`. `createToken` returns it instead of `token` if the input has `for`.',
      },
    ],
  },
  Identity: {
    plural: 'Identities',
    order: ['createdAt', 'DESC'],
    ownRequests: { collection: ['POST'] },
    examples: { provider: 'google', issuer: 'https://accounts.google.com', subject: '110169484474386276334' },
  },
  File: { plural: 'Files', ownRequests: { collection: ['POST'], item: ['GET', 'HEAD'] } },
}

/** The declared types, before those of one schema are bound to it. */
interface DeclaredSystem extends SystemTypes {
  /** Those that belong to the account type of a schema. */
  ofAccount: readonly Resource[]
  file: Resource
}

let declared: DeclaredSystem | null = null

/** Read once: nothing writes to them. */
function declaredSystem(): DeclaredSystem {
  declared ??= readSystemTypes()
  return declared
}

function readSystemTypes(): DeclaredSystem {
  const report = new MistakeReport([])
  const declarations = declareTypes(outlineDocument(parse(systemSdl), report), report, builtInTypes)
  readValues(declarations)
  readRelations(readFields(declarations), declarations)
  readIndexes(declarations)
  readRules(declarations, null)
  readStateMachines(declarations)
  report.finish()
  const types = new Map(resourcesOf(declarations).map((resource) => [resource.name, resource]))
  for (const [name, ofType] of Object.entries(traits)) applyTraits(types.get(name)!, ofType)
  const { Token: token, Identity: identity, File: file, SchemaAccount: _, ...others } = Object.fromEntries(types)
  return {
    resources: Object.values(others),
    values: valuesOf(declarations),
    enums: enumsOf(declarations),
    ofAccount: [token!, identity!],
    file: file!,
  }
}

/** The types of the server itself, for a schema with this account type. Without one nobody signs in, so there are no tokens and
 *  identities. */
export function systemTypes(account: Account | null): SystemTypes {
  const { resources, values, enums, ofAccount } = declaredSystem()
  if (account !== null) {
    return { resources: [...resources, ...ofAccount.map((one) => bindToAccount(one, account))], values, enums }
  }
  return { resources, values, enums: enums.filter((one) => !ofAccount.some((type) => isEnumOf(type, one))) }
}

function isEnumOf({ fields }: Resource, one: EnumType): boolean {
  return [...fields.values()].some(
    (field) => field.kind === 'stored' && field.type.kind === 'enum' && field.type.enum === one,
  )
}

/** Of all these types, fields of a schema file may only refer to files. */
export const builtInTypes: BuiltInTypes = {
  makeFile: () => bindFile(declaredSystem().file),
  isUnreferable: (name) => name !== 'File' && declaredSystemTypes().some((type) => type.name === name),
}

/** The types with rows that the built-in SDL declares, whether or not a schema has them. */
export function declaredSystemTypes(): Resource[] {
  const { resources, ofAccount, file } = declaredSystem()
  return [...resources, ...ofAccount, file]
}

function applyTraits(resource: Resource, ofType: Traits): void {
  const { listArguments = [], order, setByServer = [], shownOnce = [], opaque = [], ofViewer, ...others } = ofType
  const field = (name: string) => resource.fields.get(name) as StoredField
  for (const name of setByServer) field(name).auto = 'SERVER'
  for (const name of shownOnce) field(name).isShownOnce = true
  for (const name of opaque) field(name).isOpaque = true
  if (ofViewer !== undefined) field(ofViewer).isOfViewer = true
  // Larger than an Int may be.
  const number: StoredField = { ...field('id'), name: '_n', type: { kind: 'scalar', name: 'Float' } }
  resource.system = {
    ...others,
    listArguments,
    order: order === undefined ? [] : [{ field: order[0], direction: order[1] }],
    ...(order?.[0] === rowNumber && { rowNumber: number }),
  }
}

/** The resources and views of the file, and the resources of the server itself. */
export function servedResources({
  resources,
  views,
  system,
  file,
}: Pick<Model, 'resources' | 'views' | 'system' | 'file'>): Resource[] {
  return [...resources, ...views, ...system.resources, ...(file === null ? [] : [file.resource])]
}
