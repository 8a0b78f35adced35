// Who refers to files. The built-in SDL declares the type `File`. Other modules treat it as an ordinary resource, so reads, filters
// and references need no special code. Only the creation of its rows and the permission to read them differ.

import type { InputValueDefinitionNode } from 'graphql/language'
import type {
  Account,
  Field,
  FileHolder,
  FileType,
  LinksField,
  Model,
  ReferenceField,
  Resource,
  SourceLocation,
} from '../model.ts'
import { type DeclaredModel, resourcesOf } from '../parse/declare-types.ts'
import { typeShape } from '../parse/type-shape.ts'

/** The resources and views of the file, and the built-in `File`. */
export function rowTypes({ resources, views, file }: Pick<Model, 'resources' | 'views' | 'file'>): Resource[] {
  return [...resources, ...views, ...(file === null ? [] : [file.resource])]
}

const nowhere: SourceLocation = { file: '', line: 0, column: 0 }

/** Runs when all fields are known: finds the fields that refer to files, and the account type of uploads. */
export function readHolders(declarations: DeclaredModel, account: Account | null): void {
  if (takesFiles(declarations)) declarations.file ??= declarations.builtIn.makeFile()
  const { file } = declarations
  if (file === null) return
  for (const { fields } of resourcesOf(declarations)) {
    for (const field of fields.values()) if (holdsFiles(field, file)) file.holders.push(holderOf(field, file))
  }
  if (account === null) return
  file.uploader = {
    kind: 'reference',
    ...fieldBase(file.resource, 'uploader'),
    required: false,
    to: account.resource,
    unique: false,
    auto: 'VIEWER',
    defaultsToViewer: false,
    onDelete: 'SET_NULL',
    immutable: true,
  }
}

/** Whether a mutation or an input of the file takes an upload, even if no row refers to files. */
function takesFiles({ outline }: DeclaredModel): boolean {
  const isUpload = ({ type }: Pick<InputValueDefinitionNode, 'type'>) => typeShape(type).named.name.value === 'Upload'
  const mutations = [...(outline.types.get('Mutation')?.fields.values() ?? [])]
  const inputs = [...outline.types.values()].filter(({ kind }) => kind === 'input')
  return (
    mutations.some(({ args }) => args.some(isUpload)) ||
    inputs.some(({ fields }) => [...fields.values()].some(({ node }) => isUpload(node)))
  )
}

function holdsFiles(field: Field, { resource }: FileType): field is ReferenceField | LinksField {
  return (field.kind === 'reference' || field.kind === 'links') && field.to === resource
}

/** The name of the inverse contains a dot, so no request can use it. */
function holderOf(field: ReferenceField | LinksField, { resource }: FileType): FileHolder {
  const base = fieldBase(resource, `${field.owner.name}.${field.name}`)
  const to = field.owner
  if (field.kind === 'links') return { field, back: { kind: 'links', ...base, to, link: field.link, side: 'right' } }
  return { field, back: { kind: 'many', ...base, to, via: field, defaultChildren: [] } }
}

function fieldBase(owner: Resource, name: string) {
  return { name, owner, description: null, deprecated: null, required: true, rules: [], place: nowhere }
}
