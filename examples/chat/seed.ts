// The initial data of the chat: three people, three channels and some messages.

const password = 'fair winds'
const names = ['Ann', 'Bob', 'Cid'] as const

const channels = [
  { name: 'harbour', topic: 'What comes in, what goes out', members: ['Ann', 'Bob', 'Cid'] },
  { name: 'lighthouse', topic: 'For the night watch', members: ['Ann', 'Bob'] },
  { name: 'galley', topic: 'What there is to eat', members: ['Bob', 'Cid'] },
] as const

const messages = [
  ['harbour', 'Ann', 'The ferry is late again.'],
  ['harbour', 'Cid', 'Fog off the point; she waits for it to lift.'],
  ['harbour', 'Bob', 'Then there is time for soup.'],
  ['lighthouse', 'Bob', 'Lamp changed, all well.'],
  ['lighthouse', 'Ann', 'Thank you. I take over at four.'],
  ['galley', 'Cid', 'Bread is out of the oven.'],
] as const

type Row = { id: string } & Record<string, unknown>
type Make = (resource: string, input: object) => Promise<Row>

/** Returns what the banner prints. */
export async function seed(make: Make): Promise<string> {
  const users = new Map<string, string>()
  for (const name of names) {
    const { id } = await make('User', { name, email: `${name.toLowerCase()}@quay.example`, password })
    users.set(name, id)
  }
  const rooms = new Map<string, string>()
  for (const { name, topic, members } of channels) {
    const memberships = members.map((member, index) => ({
      user: users.get(member),
      role: index === 0 ? 'OWNER' : 'MEMBER',
    }))
    rooms.set(name, (await make('Channel', { name, topic, memberships })).id)
  }
  for (const [channel, author, body] of messages) {
    await make('Message', { channel: rooms.get(channel), author: users.get(author), body })
  }
  const logins = names.map((name) => `${name.toLowerCase()}@quay.example`).join(', ')
  return `These can sign in with the password "${password}": ${logins}. \`npm run page -w @twain/example-chat\` shows it in a browser.`
}
