// GraphQL's rules for `implements` (specification, 3.6.1): a type has every field of the interface, with a compatible type.
// Also checks what an interface itself may declare.

import { Kind, print, type TypeNode } from 'graphql/language'
import { checkFits } from '../directives/directive-targets.ts'
import type { DeclaredModel } from '../parse/declare-types.ts'
import type { DeclaredType } from '../parse/outline.ts'
import { resolveType } from '../read/resolve-type.ts'

export function checkInterfaces(declarations: DeclaredModel): void {
  for (const declared of declarations.outline.types.values()) {
    if (declared.kind === 'interface') {
      checkDeclaration(declared, declarations)
      checkImplemented(declared, declarations)
    }
    for (const { name } of declared.interfaces) {
      const implemented = declarations.outline.types.get(name.value)
      if (implemented?.kind === 'interface' && implemented !== declared)
        checkImplements(declared, implemented, declarations)
    }
  }
}

function checkDeclaration(declared: DeclaredType, declarations: DeclaredModel): void {
  const type = declarations.types.get(declared.name)
  const isServed = type?.kind === 'abstract' && type.members.length > 0
  for (const field of declared.fields.values()) {
    checkFits(declared.name, field, 'interface', declarations.report)
    const [arg] = field.args
    const isComputed = type?.kind === 'abstract' && type.computed.has(field.name)
    if (arg && field.shape.lists.length === 0 && !isComputed) {
      const hint = 'Only custom code takes arguments: write @computed behind the field in each type that implements it.'
      declarations.report.at(arg.name, `${declared.name}.${field.name} takes no ${arg.name.value}.`, hint)
    }
    // An interface that no resource implements is never served, so only its unknown type names are reported.
    if (isServed || !declarations.types.has(field.shape.named.name.value)) resolveType(field.shape.named, declarations)
  }
}

/** An interface of value types exists in the file only, which is fine. One that no type implements is a mistake. */
function checkImplemented({ name, node }: DeclaredType, { outline, report }: DeclaredModel): void {
  if (report.mistakes.length > 0) return // one of them may be the cause
  for (const { kind, interfaces } of outline.types.values()) {
    if (kind === 'object' && interfaces.some((one) => one.name.value === name)) return
  }
  report.at(node, `No type implements ${name}, so it has no effect.`, `Write: type … implements ${name}, or remove it.`)
}

function checkImplements(declared: DeclaredType, implemented: DeclaredType, declarations: DeclaredModel): void {
  for (const { name, node } of implemented.fields.values()) {
    const field = declared.fields.get(name)
    if (!field) {
      declarations.report.at(
        declared.node,
        `${declared.name} implements ${implemented.name}, which has the field ${name}, and lacks it.`,
        `Add: ${name}: ${print(node.type)}.`,
      )
    } else if (!isSubtype(field.node.type, node.type, declarations)) {
      declarations.report.at(
        field.node.type,
        `${declared.name}.${name} is ${print(field.node.type)}, and ${implemented.name} requires ${print(node.type)}.`,
        `Write: ${name}: ${print(node.type)}.`,
      )
    }
  }
}

/** A non-null type fits a nullable one; a member fits its interface or union. */
function isSubtype(has: TypeNode, expected: TypeNode, declarations: DeclaredModel): boolean {
  if (expected.kind === Kind.NON_NULL_TYPE) {
    return has.kind === Kind.NON_NULL_TYPE && isSubtype(has.type, expected.type, declarations)
  }
  if (has.kind === Kind.NON_NULL_TYPE) return isSubtype(has.type, expected, declarations)
  if (expected.kind === Kind.LIST_TYPE)
    return has.kind === Kind.LIST_TYPE && isSubtype(has.type, expected.type, declarations)
  return has.kind === Kind.NAMED_TYPE && isNamedSubtype(has.name.value, expected.name.value, declarations)
}

function isNamedSubtype(has: string, expected: string, { outline }: DeclaredModel): boolean {
  if (has === expected) return true
  const isMember = outline.types.get(expected)?.members.some(({ name }) => name.value === has)
  const implementing = outline.types.get(has)?.interfaces.some(({ name }) => name.value === expected)
  return Boolean(isMember || implementing)
}
