// The definitions of all directives (docs/reference/schema.md#directives) as SDL. Files are checked against them, and
// introspection shows them.

export const directiveDefinitions = `
"What the service is: its name and description in the documents and at the start."
directive @service(
  "The name. Default: the file's name."
  name: String
  "A sentence or two about it."
  description: String
) on SCHEMA

"How a type is reached: its collection path, and the paths that it had before. On an operation of own code: its path."
directive @resource(
  "The collection path in lower-case kebab-case, which also names the list. Default: the plural of the type's name."
  path: String
  "Former paths, which move permanently to the present one."
  was: [String!]
) on OBJECT | INTERFACE | UNION | FIELD_DEFINITION

"Rows of this type can sign in."
directive @account(
  "The unique field that names an account when it signs in."
  login: String = "email"
  "The field with the account's roles. Default: roles or role, where there is one."
  roles: String
) on OBJECT

"One way in. All that a line says must hold; what no line allows is refused."
directive @allow(
  "anyone, signedIn, self, or a path of fields at whose end the viewer stands."
  who: String = "anyone"
  "A role of the viewer."
  role: String
  "What may be done."
  to: [TwainAction!] = [READ, CREATE, UPDATE, DELETE]
  "A filter that the row must match."
  where: TwainFilter
) repeatable on OBJECT | FIELD_DEFINITION

"No two rows share this value, alone or together with the values of other fields."
directive @unique(
  "The other fields."
  with: [String!]
) on FIELD_DEFINITION

"Finding and sorting by this field is fast, alone or together with other fields."
directive @index(
  "The other fields, in order."
  with: [String!]
) on FIELD_DEFINITION

"The value when a create leaves the field out."
directive @default(
  "A literal of the field's type; VIEWER for a reference to the account type; on a list of children, the rows to make along."
  value: TwainLiteral!
) on FIELD_DEFINITION

"Set by the server, never writable."
directive @auto(
  "What it is set to."
  set: TwainAuto!
) on FIELD_DEFINITION

"Writable on create only."
directive @immutable on FIELD_DEFINITION

"What a value must be; checked on every write. On a list, lengths, pattern, format, min and max are for each item."
directive @constraint(
  "The smallest number."
  min: Float
  "The largest number."
  max: Float
  "The fewest characters."
  minLength: Int
  "The most characters."
  maxLength: Int
  "The fewest items of a list."
  minItems: Int
  "The most items of a list."
  maxItems: Int
  "A regular expression that must match somewhere in the text; anchor it with ^ and $ to match the whole."
  pattern: String
  "A format of JSON Schema, such as email, uri, uuid or date-time."
  format: String
) on FIELD_DEFINITION

"How two types hang together, where the types alone do not say it."
directive @relation(
  "The field of the other type that is the other side of this one."
  inverse: String
  "What happens to this row when the row that it refers to is deleted. Default: RESTRICT where the reference is required, SET_NULL where it is optional."
  onDelete: TwainOnDelete
) on FIELD_DEFINITION

"A move of a state machine: from this value to others."
directive @next(
  "The values that may follow."
  to: [TwainEnumValue!]!
  "Who may make the move: as in @allow."
  who: String
  "The role that may make the move."
  role: String
  "What must hold of the row as it would be."
  where: TwainFilter
) repeatable on ENUM_VALUE

"Part of the resource's word search."
directive @search on FIELD_DEFINITION

"Answered by the service's own code."
directive @computed(
  "The stored fields that the code needs."
  from: [String!]
) on FIELD_DEFINITION

"The former name, which keeps working while this stands."
directive @was(
  "The name before."
  name: String!
) on OBJECT | INTERFACE | UNION | ENUM | SCALAR | FIELD_DEFINITION | ENUM_VALUE

"How long an answer may be cached (Apollo's convention)."
directive @cacheControl(
  "Seconds."
  maxAge: Int
  "Whether the answer is the same for all viewers."
  scope: CacheControlScope
) on OBJECT | INTERFACE | UNION | FIELD_DEFINITION

"The field's own weight in the cost of a query."
directive @cost(
  "The weight, instead of the usual one."
  weight: Int!
) on FIELD_DEFINITION

"What can be done with a row."
enum TwainAction {
  "To see it."
  READ
  "To make it."
  CREATE
  "To change it."
  UPDATE
  "To remove it."
  DELETE
}

"What the server sets a field to."
enum TwainAuto {
  "The time at which the row was made."
  CREATE_TIME
  "The time at which the row was last changed."
  UPDATE_TIME
  "The account that made the row."
  VIEWER
}

"What happens to a row when the row that it refers to is deleted."
enum TwainOnDelete {
  "The delete is refused."
  RESTRICT
  "The row is deleted too."
  CASCADE
  "The reference becomes null."
  SET_NULL
}

"Whether a cached answer is for everyone."
enum CacheControlScope {
  "The same for all viewers."
  PUBLIC
  "For one viewer only."
  PRIVATE
}

"A filter, as the list of the type takes it in its where argument."
scalar TwainFilter

"Any literal: it is checked against the type of its field."
scalar TwainLiteral

"A value of the enum in which the directive stands."
scalar TwainEnumValue
`.trimStart()

/** GraphQL's own directives that a schema file may use (GraphQL specification, 3.13). */
export const standardDirectives = `
directive @deprecated(reason: String = "No longer supported") on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
directive @specifiedBy(url: String!) on SCALAR
directive @oneOf on INPUT_OBJECT
`
