// The built-in SDL: the types of the server itself. They are resources like those of a schema file, so that paths, operations,
// filters, pages and documents come from the same code. What a write of them does is code of the module that owns them
// (docs/internals/decisions/0054-system-types.md).
//
// 1. The actions that the rules of a type name are the operations that it has.
// 2. A field without `@immutable` can be updated.
// 3. An index stands for one that the system table has.

export const systemSdl = `
"A job of custom code. For the role admin."
type BackgroundJob @resource(path: "background-jobs") @allow(role: "admin", to: [READ, UPDATE]) {
  id: ID!
  "Its name in \`jobs\` of twain.config.ts."
  name: String! @immutable @index(with: ["createdAt"])
  "Jobs of a key run one at a time."
  key: String @immutable
  "WAITING tries a finished job again, with new retries. CANCELLED ends an unfinished one."
  state: BackgroundJobState!
  payload: JSON @immutable
  "Who enqueued it, as in the change log."
  by: String @immutable
  createdAt: DateTime! @immutable @index
  "When the next attempt may begin."
  dueAt: DateTime! @immutable
  "When the first attempt began."
  startedAt: DateTime @immutable
  finishedAt: DateTime @immutable
  "How many attempts began."
  tries: Int! @immutable
  "The last ones that ended."
  attempts: [BackgroundJobAttempt!]! @immutable
}

"One attempt to run a job."
type BackgroundJobAttempt {
  at: DateTime!
  "The duration in milliseconds."
  took: Int!
  "Why the attempt failed."
  error: String
}

"FAILED: no more attempts."
enum BackgroundJobState {
  WAITING @next(to: [CANCELLED])
  RUNNING @next(to: [CANCELLED])
  DONE @next(to: [WAITING])
  FAILED @next(to: [WAITING])
  CANCELLED @next(to: [WAITING])
}

"The key of a machine. For the role admin."
type ApiKey @resource(path: "api-keys") @allow(role: "admin", to: [READ, DELETE]) {
  id: ID!
  "What it is for."
  name: String
  roles: [String!]!
  createdAt: DateTime!
}
`
