// A page of docs/guide as the steps that its reader takes. The language of a fence says what kind of step it is, the first line of
// a file says its name, and a second word after the language names the terminal:
//
//   ```graphql          `# schema.graphql`: the whole file; `# in schema.graphql`: definitions to replace or add;
//                       otherwise an operation to send to the service
//   ```ts, ```tsx       `// client.ts`: a file, which is also type-checked
//   ````markdown        `<!-- stories/a.md -->`: a file, which may have blocks itself
//   ```ini              `# shed.service`: a file
//   ```sh               commands; `sh server`: in a terminal of its own, where they go on running
//   ```sql              statements for the PostgreSQL server
//   ```json, text, http what the step before prints; `text server`: what that terminal has printed since
//   <!-- visit: NAME -->  what no command can do, such as clicks in a page; the test of the page has a function of this name

export type Step =
  | { kind: 'file'; name: string; text: string }
  | { kind: 'definitions'; name: string; text: string }
  | { kind: 'operation'; text: string }
  | { kind: 'commands'; text: string; terminal: string | null }
  | { kind: 'sql'; text: string }
  | { kind: 'visit'; name: string }
  | { kind: 'output'; text: string; format: OutputFormat; terminal: string | null }

export type OutputFormat = 'json' | 'text' | 'http'

export function stepsOf(page: string): Step[] {
  return [...page.matchAll(/^(`{3,})(.*)\n([\s\S]*?)^\1$|^<!-- visit: (.+) -->$/gm)].map(([, , info, text, name]) => {
    if (name !== undefined) return { kind: 'visit', name }
    const [language, terminal = null] = info!.split(' ')
    return stepOf(language!, terminal, text!)
  })
}

function stepOf(language: string, terminal: string | null, text: string): Step {
  switch (language) {
    case 'graphql': {
      const [, part, name] = /^# (in )?(\S+\.graphql)\n/.exec(text) ?? []
      if (name === undefined) return { kind: 'operation', text }
      return { kind: part === undefined ? 'file' : 'definitions', name, text: text.slice(text.indexOf('\n') + 1) }
    }
    case 'ts':
    case 'tsx': {
      const [, name] = /^\/\/ (\S+\.tsx?)\n/.exec(text) ?? []
      if (name === undefined) throw new Error(`The first line does not name the file:\n${text}`)
      return { kind: 'file', name, text }
    }
    case 'markdown': {
      const [, name] = /^<!-- (\S+\.md) -->\n/.exec(text) ?? []
      if (name === undefined) throw new Error(`The first line does not name the file:\n${text}`)
      return { kind: 'file', name, text }
    }
    case 'ini': {
      const [, name] = /^# (\S+)\n/.exec(text) ?? []
      if (name === undefined) throw new Error(`The first line does not name the file:\n${text}`)
      return { kind: 'file', name, text }
    }
    case 'sh':
      return { kind: 'commands', text, terminal }
    case 'sql':
      return { kind: 'sql', text }
    case 'json':
    case 'text':
    case 'http':
      return { kind: 'output', text, format: language, terminal }
    default:
      throw new Error(`The suite does not know how to run a block of "${language}":\n${text}`)
  }
}
