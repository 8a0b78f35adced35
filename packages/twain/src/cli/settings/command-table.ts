// The table of commands. The command line parser and the help text both read it.

import { settings } from './settings.ts'

export type CommandName =
  | 'init'
  | 'dev'
  | 'start'
  | 'check'
  | 'print'
  | 'migrate'
  | 'types'
  | 'config'
  | 'doctor'
  | 'seed'
  | 'import'
  | 'export'
  | 'test'
  | 'token'
  | 'key'
  | 'invite'
  | 'jobs'
  | 'copy'
  | 'backup'
  | 'restore'

export interface Command {
  name: CommandName
  /** One line for the list of commands. */
  about: string
  /** The paragraph below it in `twain help COMMAND`. */
  more: string
  /** Whether it takes a file: a schema file, unless `fileIs` names another kind. */
  file: boolean
  fileIs?: { called: string; example: string; placeholder?: string; default?: string }
  /** Whether it takes several. */
  takesFiles?: true
  /** Names of the settings that it accepts. */
  settings: string[]
  /** Flags that only this command has. */
  options: Option[]
}

/** A flag of one command. It is not a setting and has no environment variable. */
export interface Option {
  name: string
  /** The placeholder of the value in the help; null for a switch without a value. */
  value: string | null
  /** Whether the command with it takes no file. */
  needsNoFile?: true
  /** Whether it may be given several times; the values are joined by line breaks. */
  mayRepeat?: true
  about: string
}

const serving = settings.map(({ name }) => name)

export const commands: Command[] = [
  {
    name: 'init',
    about: 'create the folder of a new service',
    more: `Creates a folder (my-app) with a schema file, settings and custom code, initial data, tests, and what a deployment
needs. npm create twain@latest my-app does the same without an installed twain. Exit code 1: the folder has files.`,
    file: true,
    fileIs: { called: 'a folder', example: 'my-app', placeholder: '[FOLDER]', default: 'my-app' },
    settings: [],
    options: [
      { name: 'template', value: 'NAME', about: 'minimal (default), or react: with a page that shows live data' },
    ],
  },
  {
    name: 'dev',
    about: 'serve a schema file and reload it when you save it',
    more: `Serves a file, or all *.graphql files of a folder, as a REST API and a GraphQL API over the same rows, and reloads
when you save one. Requests wait for the new schema; none is lost. If a saved file has mistakes, the previous schema
stays in service. If port 4000 is taken and you named no port, it uses the next free one.`,
    file: true,
    settings: serving,
    options: [],
  },
  {
    name: 'start',
    about: 'serve a schema file in production',
    more: `Serves the file as a REST API and a GraphQL API over the same rows, with JSON logs on stderr. On SIGTERM or
SIGINT it answers all open requests and stops. It listens on this machine only, unless you set --host. It refuses a file
that would break clients of the last served schema, and lists the breaking changes.`,
    file: true,
    settings: serving,
    options: [
      { name: 'allow-breaking', value: null, about: 'start although the schema breaks clients of the last one' },
    ],
  },
  {
    name: 'check',
    about: 'check a schema file, compare it with another, or print who may do what',
    more: `Starts nothing and touches no data. Exit code 0: the file is valid and breaks no client. 1: a client of the compared
schema would break. 2: the file has mistakes; stderr lists them. With --against it lists what the file changes, whom
each change affects and what to write instead. With --access it prints what each kind of viewer may do with each type
and with each field that has its own rules, under which condition and by which rule.`,
    file: true,
    settings: [],
    options: [
      {
        name: 'against',
        value: 'PLACE',
        about: 'a file or folder, git:REVISION[:PATH], a data folder, postgres://… (last served), or https://…',
      },
      {
        name: 'token',
        value: 'TOKEN',
        about: 'with --against https://…: a token of role admin, to compare the whole schema',
      },
      { name: 'json', value: null, about: 'print one JSON document' },
      { name: 'github', value: null, about: 'print annotations for GitHub Actions' },
      { name: 'access', value: null, about: 'print who may do what, and by which rule' },
      {
        name: 'as',
        value: 'VIEWER',
        about: 'with --access: for one of nobody, signedIn, verified, role:ROLE, claim:NAME=VALUE, operator',
      },
      { name: 'system', value: null, about: 'with --access: the types of the server itself, such as Token, too' },
    ],
  },
  {
    name: 'print',
    about: 'print the GraphQL schema, OpenAPI document, state machines, API contract or schema of settings',
    more: `Starts nothing and touches no data. Exit code 1: the file has mistakes; stderr lists them. With --openapi it prints,
byte for byte, what /openapi.json answers with the same --limits-page: one shape for each answer, for generators of
clients; with --profile full everything. With --contract it prints the API contract in nine parts: purpose, resources,
states, endpoints, authentication, events, errors, limits, versioning.`,
    file: true,
    settings: serving.filter((name) => /^(limits|events|webhooks|auth)\./.test(name)),
    options: [
      { name: 'graphql', value: null, about: 'print the GraphQL schema (default)' },
      { name: 'openapi', value: null, about: 'print the OpenAPI 3.1 document of the REST API' },
      { name: 'profile', value: 'NAME', about: 'with --openapi: clients (default), or full' },
      { name: 'states', value: null, about: 'print the state machines (@next) as Mermaid diagrams in Markdown' },
      { name: 'contract', value: null, about: 'print the API contract as Markdown' },
      {
        name: 'settings-schema',
        value: null,
        needsNoFile: true,
        about: 'print the JSON Schema of the settings; without FILE',
      },
    ],
  },
  {
    name: 'migrate',
    about: 'change the database to fit a schema file before you start it',
    more: `Makes the changes to the database that twain start would make, and nothing else; the next start has nothing left to
change. SQLite: no server may run on the data folder. The migration is one transaction, and Twain writes a backup to
backups/ before it drops stored data or stops using it. PostgreSQL: nodes may keep serving. Indexes are built without
blocking writes, no step waits longer than 5 s for a lock, and the next run continues an interrupted one. Then the
files migrations/NNN-name.ts beside FILE change rows, in portions; the next run continues behind the last portion.
Exit code 1: the schema breaks clients, or existing rows do not fit it.`,
    file: true,
    settings: ['data', 'database', 'database.tls'],
    options: [
      {
        name: 'dry-run',
        value: null,
        about: 'print the SQL and the rows that data migrations would visit; change nothing',
      },
      {
        name: 'drop',
        value: null,
        about: 'drop tables and columns that the schema no longer uses; earlier schemas lose that data',
      },
      { name: 'allow-breaking', value: null, about: 'continue although the schema breaks clients of the last one' },
    ],
  },
  {
    name: 'types',
    about: 'write TypeScript types for custom code',
    more: `Writes a TypeScript module with the types of rows, inputs, filters, the context, and the arguments and results of
computed fields and custom operations. In twain.config.ts, defineService<Service>({ … }) checks your code against them.
Starts nothing and touches no data. Exit code 1: the file has mistakes; stderr lists them.`,
    file: true,
    settings: [],
    options: [
      { name: 'to', value: 'FILE', about: 'file to write (twain.types.ts beside the schema); - prints to stdout' },
      { name: 'system', value: null, about: 'write the types of the server itself, such as Token, too' },
    ],
  },
  {
    name: 'config',
    about: 'print each setting, its value and where it comes from',
    more: `Prints the settings that twain start would use with the same flags, variables, .env and twain.config.ts. Passwords and
secrets are hidden. Starts nothing and touches no data. Exit code 2: a setting has a mistake; stderr lists all of them.`,
    file: true,
    settings: serving,
    options: [
      { name: 'dev', value: null, about: 'print the settings of twain dev, which has some other defaults' },
      { name: 'json', value: null, about: 'print one JSON document' },
    ],
  },
  {
    name: 'doctor',
    about: 'check the machine, the database and the settings, and say what to do',
    more: `Checks Node, the schema file, the disk or the database (version, rights, free connections, TLS, clock), the port and the
public address, with the settings that twain start would use. Changes nothing. Exit code 1: something would keep the
service from working.`,
    file: true,
    settings: serving,
    options: [
      {
        name: 'deep',
        value: null,
        about: 'also read all stored data: pages and foreign keys (SQLite), files, the change log against the rows',
      },
    ],
  },
  {
    name: 'seed',
    about: 'fill an empty service with initial data',
    more: `Opens the data, runs the function of the module (export async function seed(make)) and exits. It does nothing if the
database already has rows. Rows are validated like those of any client, but access rules do not apply. On SQLite no
server may run on the data; twain dev and twain start take --seed themselves.`,
    file: true,
    settings: serving.filter((name) => /^(data|database|seed|limits|files)\b/.test(name)),
    options: [],
  },
  {
    name: 'import',
    about: 'create rows from a CSV, NDJSON or JSON file',
    more: `Rows are validated like those of any client: types, constraints, references, unique values, hooks. They make events
as usual. Access rules do not apply: the operator may also set @auto fields, and accounts need no password. Each
portion of rows is one transaction. If a row is bad, nothing of its portion is written, and the command stops and names
every bad line of it. Run it again, with the file corrected from there on: it goes on where it stopped, and
writes nothing twice. A server may run on the data: on SQLite the rows then go through it.
Exit code 1: rows are bad, or the command was stopped. 2: the command line or the file as a whole has a mistake.`,
    file: true,
    fileIs: { called: 'a file with rows', example: 'posts.csv --type Post' },
    settings: serving.filter((name) => /^(data|database|limits|files|port|http\.basePath|auth\.secret)\b/.test(name)),
    options: [
      { name: 'type', value: 'TYPE', about: 'the type of the rows, such as Post' },
      { name: 'schema', value: 'FILE', about: 'the schema file or folder (schema.graphql, else schema)' },
      { name: 'format', value: 'FORMAT', about: 'csv, ndjson or json (by the name of the file)' },
      {
        name: 'map',
        value: 'COLUMN=FIELD',
        mayRepeat: true,
        about: 'a column with another name than its field; COLUMN= leaves it out; may repeat',
      },
      { name: 'keep-ids', value: null, about: 'keep the ids of the file, so that its rows can refer to each other' },
      {
        name: 'on-conflict',
        value: 'FIELDS',
        about: 'change the row that has the same value in this unique field, such as slug',
      },
      { name: 'dry-run', value: null, about: 'write nothing, and name every bad row of the file' },
      {
        name: 'again',
        value: null,
        about: 'import the file from its beginning, although some of it was imported before',
      },
      { name: 'server', value: 'URL', about: 'the server on the data, if its port is not that of the settings' },
    ],
  },
  {
    name: 'export',
    about: 'write rows into files, which twain import reads back',
    more: `With --type it writes the rows of one type, to --to or to stdout. Without, it writes everything into the folder --to:
a file for each type, and the bytes of uploaded files. twain import FOLDER reads it back, with the same ids, times,
links and files. Passwords, sessions and keys are not exported; for those, and for one consistent moment, use twain
backup or twain copy. A server may run on the data: on SQLite the rows then come through it. Access rules do not apply.`,
    file: false,
    settings: serving.filter((name) => /^(data|database|limits|files|port|http\.basePath|auth\.secret)\b/.test(name)),
    options: [
      { name: 'type', value: 'TYPE', about: 'the type of the rows; without it everything' },
      { name: 'to', value: 'PLACE', about: 'the file to write; without --type a new folder' },
      { name: 'format', value: 'FORMAT', about: 'csv, ndjson or json (by the name of the file, else ndjson)' },
      { name: 'schema', value: 'FILE', about: 'the schema file or folder (schema.graphql, else schema)' },
      { name: 'server', value: 'URL', about: 'the server on the data, if its port is not that of the settings' },
    ],
  },
  {
    name: 'test',
    about: 'run the stories of Markdown files: requests and their answers',
    more: `A line of a story block is a request and its answer: ann POST /notes {"text": "Hello"} → 201 {"text": "Hello"} as note.
Each section of a file is a story and runs on a service of its own, with the settings and the code of twain.config.ts.
If an answer differs, the command prints it with the rule that decided. Exit code 1: a story failed. 2: a file has
mistakes.`,
    file: true,
    fileIs: { called: 'a file with stories', example: 'stories/*.md' },
    takesFiles: true,
    settings: [],
    options: [
      { name: 'schema', value: 'FILE', about: 'the schema file or folder (schema.graphql, else schema)' },
      { name: 'seed', value: 'FILE', about: 'a module that fills each service before its story' },
    ],
  },
  {
    name: 'token',
    about: 'print a token for the operator, or rotate the signing secret',
    more: `Prints a token with the roles and without an account: authorization: Bearer $(twain token --role admin). It is valid
until it expires or until its signing secret is removed. A server may run on the data.`,
    file: false,
    settings: ['data', 'database', 'database.tls', 'auth.secret'],
    options: [
      { name: 'role', value: 'ROLE', about: 'its roles, separated by commas' },
      { name: 'time', value: 'SECONDS', about: 'lifetime of the token (3600)' },
      { name: 'rotate', value: null, about: 'sign with a new secret; earlier tokens stay valid' },
      { name: 'forget', value: null, about: 'with --rotate: earlier tokens become invalid' },
    ],
  },
  {
    name: 'key',
    about: 'create, list and end API keys',
    more: `Prints a key with the roles and without an account. The key is shown only now: the database stores its hash. It is
valid until you end it; servers notice within a second. A server may run on the data.`,
    file: false,
    settings: ['data', 'database', 'database.tls'],
    options: [
      { name: 'role', value: 'ROLE', about: 'its roles, separated by commas' },
      { name: 'name', value: 'TEXT', about: 'a name for the list, such as its owner' },
      { name: 'list', value: null, about: 'print the valid keys' },
      { name: 'end', value: 'ID', about: 'end a key' },
    ],
  },
  {
    name: 'invite',
    about: 'invite somebody to an account, such as the first administrator',
    more: `Prints a link to a page where the person sets a password, and mails it if the service sends mails. That makes the
account. The link is valid for seven days and works once. An account that has no password yet, such as an imported one,
gets one by it. A server may run on the data: on SQLite the invitation then goes through it.
Access rules do not apply. Exit code 1: the address has an account with a password already.`,
    file: true,
    fileIs: { called: 'an email address', example: 'ann@example.org --role admin', placeholder: 'EMAIL' },
    settings: serving.filter((name) =>
      /^(data|database|limits|files|port|http\.basePath|http\.origin|auth\.secret|mail)\b/.test(name),
    ),
    options: [
      { name: 'role', value: 'ROLE', about: 'the roles of the account, separated by commas' },
      { name: 'row', value: 'JSON', about: 'other fields of the account: \'{"name": "Ann"}\'' },
      { name: 'schema', value: 'FILE', about: 'the schema file or folder (schema.graphql, else schema)' },
      { name: 'server', value: 'URL', about: 'the server on the data, if its port is not that of the settings' },
    ],
  },
  {
    name: 'jobs',
    about: 'list, retry and cancel background jobs',
    more: `Prints background jobs of custom code, the newest first: id, time, state, name, attempts, and the last error. A
server may run on the data; it notices what you retry within some seconds, and what you cancel when it renews its lease.`,
    file: false,
    settings: ['data', 'database', 'database.tls'],
    options: [
      { name: 'list', value: null, about: 'print the last 1000 jobs' },
      { name: 'state', value: 'STATE', about: 'with --list: waiting, running, done, failed or cancelled' },
      { name: 'name', value: 'TEXT', about: 'with --list: jobs of this name' },
      { name: 'retry', value: 'ID', about: 'try a finished job again, with all of its retries' },
      { name: 'cancel', value: 'ID', about: 'cancel an unfinished job' },
    ],
  },
  {
    name: 'copy',
    about: 'copy a service to another folder or database',
    more: `Copies a service from a data folder (no server may run on it) or a PostgreSQL database to another one that Twain
has not used yet: everything that is stored, also what only another version of the schema knows. It compares counts and
checksums of all tables and columns at the end. A copy that fails or is stopped leaves the target unchanged. Say what
the copy is for: --move, and it takes the place of the original, or --staging, and it stands beside it.`,
    file: false,
    settings: [],
    options: [
      {
        name: 'from',
        value: 'PLACE',
        about: 'a data folder (./data, sqlite:./data) or postgres://USER:PASSWORD@HOST/NAME',
      },
      { name: 'to', value: 'PLACE', about: 'the target, in the same form' },
      {
        name: 'move',
        value: null,
        about: 'everything as it is: tokens, keys, cursors and webhooks go on at the target',
      },
      {
        name: 'staging',
        value: null,
        about: 'new signing keys and log, no sessions, API keys or pending deliveries, webhooks off',
      },
    ],
  },
  {
    name: 'backup',
    about: 'write a data folder into one file',
    more: `The file is a consistent snapshot: rows, change log, accounts, keys, schemas, and the bytes of uploaded files in the
folder. A server may run on the data and is not blocked. Protect the file like a password: it contains the secret that
signs tokens. For PostgreSQL use its own tools, or twain copy.`,
    file: false,
    settings: ['data'],
    options: [{ name: 'to', value: 'FILE', about: 'the file to write; it must not exist yet' }],
  },
  {
    name: 'restore',
    about: 'create a data folder from a backup',
    more: `The folder must have no data yet. Twain verifies the file first and refuses a damaged one. Readers of the change log
start over: the server answers older cursors with 410.`,
    file: true,
    fileIs: { called: 'a backup', example: 'backup.db' },
    settings: ['data'],
    options: [],
  },
]

/** The command as the user types it: `dev FILE`, `token`. */
export const formOf = ({ name, file, fileIs, takesFiles }: Command): string =>
  file ? `${name} ${fileIs?.placeholder ?? 'FILE'}${takesFiles ? '…' : ''}` : name
