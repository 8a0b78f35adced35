// Links of the schema pages: to a type, and to a line of the file.

import type { ComponentChildren } from 'preact'
import { address, go, linkTo } from '../address/address.ts'
import type { Schema } from './schema-data.ts'
import { schemaTexts } from './schema-texts.ts'

const schemaStep = '+schema'

export type SchemaTab = keyof typeof schemaTexts.tabs

export function schemaLink(tab: SchemaTab, parameters: Readonly<Record<string, string | number>> = {}): string {
  return linkTo([schemaStep, tab], queryOf(parameters))
}

export function goToSchema(tab: SchemaTab, parameters: Readonly<Record<string, string | number>>): void {
  go([schemaStep, tab], queryOf(parameters))
}

function queryOf(parameters: Readonly<Record<string, string | number>>): string {
  return new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)])).toString()
}

export function schemaParameters(): URLSearchParams {
  return new URLSearchParams(address.value.query)
}

export function LineLink({ file, line }: { file: string; line: number }) {
  return (
    <a class="dim" href={schemaLink('file', { file, line })} title={schemaTexts.line(file, line)}>
      {schemaTexts.line(file.slice(file.lastIndexOf('/') + 1), line)}
    </a>
  )
}

/** The name is a link if the schema file has the type. */
export function TypeLink({
  schema,
  name,
  children,
}: {
  schema: Schema
  name: string | null
  children: ComponentChildren
}) {
  const type = schema.type(name)
  if (type === undefined) return <>{children}</>
  return <a href={schemaLink('list', { type: type.name })}>{children}</a>
}
