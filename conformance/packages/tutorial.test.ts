// docs/guide/tutorial.md, walked: from `npm create` to a deployed service with another schema, each block as its reader would, and the
// clicks in a browser. Our packages come from the tarballs.
// stores: sqlite + postgres

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import { noCurl } from '../docs/no-curl.ts'
import { makeDatabases } from '../docs/page-databases.ts'
import { stepsOf } from '../docs/page-steps.ts'
import { type WalkOptions, walkPage } from '../docs/walk-page.ts'
import { noBrowser, openBrowser } from '../harness/open-browser.ts'
import { InstalledFolder, tarballOf } from './installed.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/guide/tutorial.md'), 'utf8')
const unitVisit = 'systemd accepts the unit'

test('docs/guide/tutorial.md', { skip: noCurl, timeout: 600_000 }, async (t) => {
  const workspace = await InstalledFolder.make({}, [tarballOf('create-twain'), tarballOf('twain')])
  t.after(() => workspace.remove())
  const databases = await makeDatabases()
  t.after(() => databases.drop())
  const browser = noBrowser ? null : await openBrowser()
  t.after(() => browser?.close())
  if (noBrowser) t.diagnostic(`the pages were not opened: ${noBrowser}`)
  const visits = browser === null ? {} : visitsOf(browser)
  const steps = stepsOf(page).filter((step) => step.kind !== 'visit' || browser !== null || step.name === unitVisit)
  await walkPage(steps, {
    folder: workspace.path,
    postgres: databases,
    prelude: installedPrelude(workspace.path),
    visits: { ...visits, [unitVisit]: checkUnit },
  })
})

/** `npm create` and `npm install` take our packages from their tarballs; `npx` runs without npm, which takes half a second each time. */
function installedPrelude(workspace: string): string {
  return `
unset \${!npm_@} NODE_TEST_CONTEXT # with it, node --test would run nothing
export PATH="${dirname(process.execPath)}:$PATH"
npm() {
  case "$1 $2" in
    'create twain@latest')
      local name="$3"; shift 4
      "${workspace}/node_modules/.bin/create-twain" "$name" "$@" &&
      (cd "$name" && command npm pkg set overrides.rolldown=1.2.18) # 1.2.19 was published without its binary for Linux on ARM
      ;;
    'install ') command npm install --prefer-offline --no-audit --no-fund "${tarballOf('twain')}" "${tarballOf('twain-client')}" ;;
    'run dev') command npm run dev -- --port "$PAGE_PORT" --strictPort ;;
    *) command npm "$@" ;;
  esac
}
npx() { local command="$1"; shift; node_modules/.bin/"$command" "$@"; }
`
}

type PageVisit = NonNullable<WalkOptions['visits']>[string]

function visitsOf(browser: Browser): Record<string, PageVisit> {
  const open = async (address: string): Promise<Page> => {
    await untilAnswered(address)
    const tab = await browser.newPage()
    tab.setDefaultTimeout(60_000)
    await tab.goto(address)
    return tab
  }
  return {
    'the page of the template': async (local) => {
      const tab = await open(local('http://127.0.0.1:5173'))
      await signIn(tab, 'ann')
      await tab.getByText('A draft that only Ann sees').waitFor()
      await tab.close()
    },
    'lend a tool in two windows': async (local, folder) => {
      const address = local('http://127.0.0.1:5173')
      const [ann, bob] = [await open(address), await open(address)]
      await signIn(ann, 'ann')
      await signIn(bob, 'bob')
      await bob.getByLabel('Name').fill('Drill')
      await bob.getByLabel('Photo').setInputFiles(join(folder, 'ladder.png'))
      await bob.getByRole('button', { name: 'Add' }).click()
      const drill = ann.getByLabel('Tools').getByRole('listitem').filter({ hasText: 'Drill of Bob' })
      await drill.getByRole('img', { name: 'Drill' }).waitFor()
      await drill.getByRole('button', { name: 'Borrow' }).click()
      const loan = bob.getByLabel('Loans').getByRole('listitem').filter({ hasText: 'Drill for Ann: ASKED' })
      await loan.getByRole('button', { name: 'REFUSED' }).waitFor()
      await loan.getByRole('button', { name: 'LENT' }).click()
      await ann.getByText('Drill for Ann: LENT').waitFor()
      await signUp(await open(address), 'cleo')
      await Promise.all([ann.close(), bob.close()])
    },
    'the page in production': async (local) => {
      const tab = await open(local('http://127.0.0.1:4000'))
      await signIn(tab, 'ann')
      await tab.getByText('Ladder of Ann behind the house').waitFor()
      await tab.getByText('Drill for Ann: LENT').waitFor()
      await tab.close()
    },
  }
}

/** `npm run dev` starts the server of the page beside the service, which may answer before it. */
async function untilAnswered(address: string): Promise<void> {
  const deadline = performance.now() + 120_000
  while ((await fetch(address).catch(() => null)) === null) {
    if (performance.now() > deadline) throw new Error(`Nothing answers at ${address}.`)
    await pause(100)
  }
}

async function signIn(tab: Page, name: string): Promise<void> {
  await tab.getByLabel('E-mail').fill(`${name}@example.org`)
  await tab.getByLabel('Password').fill('fair winds')
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await tab.getByRole('button', { name: 'Sign out' }).waitFor()
}

async function signUp(tab: Page, name: string): Promise<void> {
  await tab.getByRole('button', { name: 'Create an account' }).click()
  await tab.getByLabel('Name').fill(name)
  await tab.getByLabel('E-mail').fill(`${name}@example.org`)
  await tab.getByLabel('New password').fill('fair winds')
  await tab.getByRole('button', { name: 'Sign up' }).click()
  await tab.getByRole('button', { name: 'Sign out' }).waitFor()
  await tab.close()
}

/** The unit runs the command that the page has run before. */
async function checkUnit(_local: unknown, folder: string): Promise<void> {
  const unit = readFileSync(join(folder, 'shed.service'), 'utf8')
  const [, command] = /^ExecStart=\/srv\/shed\/(.*)$/m.exec(unit)!
  assert.ok(page.includes(` ${command}\n`), command)
  if (spawnSync('which', ['systemd-analyze']).status !== 0) return
  const local = join(folder, 'local.service')
  writeFileSync(local, unit.replaceAll('/srv/shed', folder).replace('User=shed', 'User=root'))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', local], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
}
