// Why the tests of commands do not run; false where they do. They need `--json`, which curl has since 7.82.

import { spawnSync } from 'node:child_process'

const { stdout } = spawnSync('curl', ['--version'], { encoding: 'utf8' })
const [, major, minor] = /^curl (\d+)\.(\d+)/.exec(stdout ?? '') ?? []

export const noCurl =
  Number(major) > 7 || (Number(major) === 7 && Number(minor) >= 82)
    ? false
    : 'there is no curl of version 7.82 or newer'
