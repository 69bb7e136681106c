import { expect, test } from 'bun:test'
import type { Running } from '../../wiring/start.ts'
import { welcome } from './welcome.ts'

const STARTED = {
  url: 'http://localhost:8080',
  networks: { list: () => [] },
  signInLink: null,
  resumed: false,
  settings: { local: false, data: './data' },
}

type Given = {
  firstRun: Running['firstRun']
  signInLink?: string
  settings?: { local: boolean; data: string }
}

const started = (given: Given) => ({ ...STARTED, ...given }) as unknown as Running

const FIRST_RUN = { url: '', operator_token: 'o', team_token: 't', app_key: 'k' }

test('with a configuration file the keys are where the first start put them', () => {
  const text = welcome(started({ firstRun: FIRST_RUN }))
  expect(text).toContain('./data/first-run.json')
  expect(text).not.toContain('no readable')
})

test('a file that is not there is not named as the place of the keys', () => {
  for (const local of [false, true]) {
    const text = welcome(started({ firstRun: null, settings: { local, data: './data' } }))
    expect(text).toContain('There is no readable ./data/first-run.json')
  }
})

test('in local development the link that signs in is shown, with or without the keys', () => {
  const settings = { local: true, data: './data' }
  const signInLink = 'http://localhost:8080/sign-in#secret'
  for (const firstRun of [FIRST_RUN, null]) {
    const lines = welcome(started({ settings, firstRun, signInLink })).split('\n')
    expect(lines).toContain(`  dashboard       ${signInLink}`)
  }
})

test('the lines to paste find their Headgate by its data folder, and hold no secret', () => {
  const local = (data: string) => started({ firstRun: FIRST_RUN, settings: { local: true, data } })
  const shown = (data: string) => welcome(local(data))
  expect(shown('./data')).toContain(
    "\n  npx headgate webhook create --inbox demo --graphql '{ block { number hash } }'\n" +
      '  npx headgate devnet inbox demo\n',
  )
  expect(shown('/var/x')).toContain('\n  HEADGATE_DATA=/var/x npx headgate devnet inbox demo\n')
  const executable = welcome(local('./data'), './headgate')
  expect(executable).toContain('\n  ./headgate devnet inbox demo\n')
})
