// The definitions of all directives (docs/reference/schema.md#directives) as SDL. Files are checked against them, and
// introspection shows them.

export const directiveDefinitions = `
"The name and description of the service, as the API documents and the start message show them."
directive @service(
  "The name. Default: the file's name."
  name: String
  "A short description."
  description: String
) on SCHEMA

"The collection path of a type, and its previous paths. On a custom operation: its path."
directive @resource(
  "The collection path in lower-case kebab-case, which also names the list. Default: the plural of the type's name."
  path: String
  "Previous paths, which redirect permanently to the present one."
  was: [String!]
) on OBJECT | INTERFACE | UNION | FIELD_DEFINITION

"Rows of this type can sign in."
directive @account(
  "The unique field that names an account when it signs in."
  login: String = "email"
  "The field with the account's roles. Default: roles or role, if the type has one of them."
  roles: String
  "Whether accounts can prove their address by a mail. The login must be an address."
  verification: TwainVerification = OPTIONAL
) on OBJECT

"A read-only resource whose rows a SELECT returns. The SELECT sees every type as a table, under the names of the schema. The rules of those types do not apply inside it."
directive @view(
  "The SELECT for SQLite. Its columns have the names of the fields."
  sqlite: String
  "The SELECT for PostgreSQL. Its columns have the names of the fields."
  postgres: String
  "The fields that identify a row."
  key: [String!]!
) on OBJECT

"A delete hides the row, and the rows that CASCADE deletes with it. They can be restored until the time is over; then they are gone."
directive @softDelete(
  "How long a deleted row can be restored: a number and s, m, h, d, w or y."
  keep: String = "30d"
) on OBJECT

"The changes of its rows are kept longer than the change log: their history reaches so far back, and earlier versions can be put back."
directive @history(
  "How long a change is kept: a number and s, m, h, d, w or y."
  keep: String = "1y"
) on OBJECT

"A rule that allows actions, or calls of a custom operation. All its conditions must hold; what no rule allows is refused."
directive @allow(
  "anyone, signedIn, self, or a path of fields that ends at the viewer."
  who: String = "anyone"
  "A role of the viewer."
  role: String
  "true: the viewer is an account whose address is proven."
  verified: Boolean
  "The allowed actions."
  to: [TwainAction!] = [READ, CREATE, UPDATE, DELETE]
  "A filter that the row must match. {claim: …} in the place of a value is a claim of the viewer's token."
  where: TwainFilter
  "On a type: the fields that the rule allows to read, to create or to update. Default: the whole row."
  fields: [String!]
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

"The value that a create stores if it omits the field."
directive @default(
  "A literal of the field's type; VIEWER for a reference to the account type; {claim: …} for a claim of the token; on a list of children, the rows to create with it."
  value: TwainLiteral!
) on FIELD_DEFINITION

"Set by the server, never writable."
directive @auto(
  "What it is set to."
  set: TwainAuto!
) on FIELD_DEFINITION

"Writable on create only."
directive @immutable on FIELD_DEFINITION

"Limits for a value, checked whenever it is sent. On a list, lengths, pattern, format, min and max apply to each item."
directive @constraint(
  "The smallest number, the earliest date or the earliest time."
  min: TwainBound
  "The largest number, the latest date or the latest time."
  max: TwainBound
  "The minimum number of characters."
  minLength: Int
  "The maximum number of characters."
  maxLength: Int
  "The minimum number of items of a list."
  minItems: Int
  "The maximum number of items of a list."
  maxItems: Int
  "A regular expression that must match somewhere in the text; anchor it with ^ and $ to match the whole."
  pattern: String
  "A format of JSON Schema, such as email, uri, uuid or date-time."
  format: String
) on FIELD_DEFINITION | INPUT_FIELD_DEFINITION | ARGUMENT_DEFINITION

"How two types are related, if the types alone do not determine it."
directive @relation(
  "The field of the other type that is the other side of this one."
  inverse: String
  "What happens to this row when the row that it refers to is deleted. Default: RESTRICT if the reference is required, SET_NULL if it is optional."
  onDelete: TwainOnDelete
) on FIELD_DEFINITION

"Transitions of a state machine: from this value to others."
directive @next(
  "The values that may follow."
  to: [TwainEnumValue!]!
  "The viewers who may use the transition: as in @allow."
  who: String
  "The role that may use the transition."
  role: String
  "A filter that the row must match after the write."
  where: TwainFilter
) repeatable on ENUM_VALUE

"Part of the resource's word search."
directive @search on FIELD_DEFINITION

"What a row is called where it is shown to people, as in the console. Default: the first unique String, else the first String."
directive @label on FIELD_DEFINITION

"How the texts of the field are ordered: in sorts, in the filters lt, lte, gt, gte and between, in min and max."
directive @collation(
  "The order."
  name: TwainCollation!
) on FIELD_DEFINITION

"Custom code computes the field."
directive @computed(
  "The stored fields that the code needs."
  from: [String!]
) on FIELD_DEFINITION

"The previous name, which still works."
directive @was(
  "The previous name."
  name: String!
) on OBJECT | INTERFACE | UNION | ENUM | SCALAR | FIELD_DEFINITION | ENUM_VALUE

"How long a response may be cached (Apollo's convention)."
directive @cacheControl(
  "Seconds."
  maxAge: Int
  "Whether the response is the same for all viewers."
  scope: CacheControlScope
) on OBJECT | INTERFACE | UNION | FIELD_DEFINITION

"The field's own weight in the cost of a query."
directive @cost(
  "The weight, instead of the usual one."
  weight: Int!
) on FIELD_DEFINITION

"What can be done with a row."
enum TwainAction {
  "Read it."
  READ
  "Create it."
  CREATE
  "Update it."
  UPDATE
  "Delete it."
  DELETE
  "Read who made its changes. A rule allows it only if it names it. Default: the role admin."
  AUDIT
  "Act as the account for 15 minutes, on the account type. A rule allows it only if it names it. Default: nobody."
  ACT_AS
}

"What the server sets a field to."
enum TwainAuto {
  "The time at which the row was created."
  CREATE_TIME
  "The time at which the row was last updated."
  UPDATE_TIME
  "The account that created the row."
  VIEWER
}

"Whether accounts prove their addresses."
enum TwainVerification {
  "Whoever signs up proves the address first: there is no account before."
  REQUIRED
  "An account works before its address is proven. Rules may demand the proof: verified: true."
  OPTIONAL
  "Nobody is asked to prove an address."
  OFF
}

"The order of texts."
enum TwainCollation {
  "For people, the default: case and accents count only between texts that are otherwise equal."
  FOLDED
  "For codes: by Unicode code point."
  BINARY
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

"Whether a cached response is for everyone."
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

"A number; for dates and times a text in quotes: 09:30:00."
scalar TwainBound

"A value of the enum in which the directive stands."
scalar TwainEnumValue
`.trimStart()

/** GraphQL's own directives that a schema file may use (GraphQL specification, 3.13). */
export const standardDirectives = `
directive @deprecated(reason: String = "No longer supported") on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
directive @specifiedBy(url: String!) on SCALAR
directive @oneOf on INPUT_OBJECT
`
