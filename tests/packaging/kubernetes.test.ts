import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Deployment } from 'kubernetes-types/apps/v1'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2'
import type { Service } from 'kubernetes-types/core/v1'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'
import { parse, parseAllDocuments } from 'yaml'
import packageJson from '../../package.json' with { type: 'json' }
import { METRICS } from '../../src/ports/metric-catalogue.ts'
import { optionFaults } from './option-faults.ts'

/** The compiler takes a second or two, unless the machine is busy with others. */
setDefaultTimeout(180_000)

type Manifest = { apiVersion: string; kind: string; metadata: { name: string } }

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const FOLDER = 'deploy/kubernetes'
const MANIFESTS = manifestsIn(FOLDER)
const EXAMPLES = manifestsIn(`${FOLDER}/examples`)
const ROLES = ['gateway', 'api', 'follower', 'courier']

const DEPLOYMENTS = ROLES.map((role) => [role, named<Deployment>('Deployment', role)] as const)

/** The program ends by itself within these seconds of SIGTERM. */
const STOP_GRACE_S = 10

test('every manifest has the members and types that Kubernetes gives its kind', () => {
  const all = [...MANIFESTS, ...EXAMPLES].filter(({ kind }) => kind !== undefined)
  expect(all.length).toBeGreaterThan(13)
  expect(compileFaults(all)).toBe('')
})

test('a misspelt member of a manifest would be found', () => {
  const text = JSON.stringify(MANIFESTS.find(({ kind }) => kind === 'Deployment'))
  const misspelt = JSON.parse(text.replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem'))
  expect(compileFaults([misspelt])).toContain('readOnlyRootFileSystem')
})

describe.each(DEPLOYMENTS)('the pods of the %s', (role, { spec }) => {
  const pod = spec?.template.spec
  const container = pod?.containers[0]

  test('are of this version and have one role', () => {
    expect(container?.image).toBe(`headgate:${packageJson.version}`)
    expect(container?.env).toContainEqual({ name: 'HEADGATE_ROLES', value: role })
    expect(spec?.template.metadata?.labels).toMatchObject(spec?.selector.matchLabels ?? {})
  })

  test('have options that the program knows, and no variables that others make', () => {
    const given = container?.env?.map(({ name, value = '' }) => [name, value])
    expect(optionFaults(configuration(), Object.fromEntries(given ?? []))).toEqual([])
    expect(pod?.enableServiceLinks).toBe(false)
  })

  test('may do nothing but their work', () => {
    expect(pod?.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(container?.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    const writable = container?.volumeMounts?.filter(({ readOnly }) => !readOnly)
    expect(writable?.map(({ mountPath }) => mountPath)).toEqual(['/data', '/tmp'])
    const user = `${pod?.securityContext?.runAsUser}:${pod?.securityContext?.runAsGroup}`
    expect(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')).toContain(`\nUSER ${user}\n`)
  })

  test('are probed, spread, and given the time to stop', () => {
    const { startupProbe, livenessProbe, readinessProbe, lifecycle } = container ?? {}
    expect(startupProbe?.httpGet?.path).toBe('/healthz')
    expect(livenessProbe?.httpGet?.path).toBe('/healthz')
    const serves = role === 'gateway' || role === 'api'
    expect(readinessProbe?.httpGet?.path).toBe(serves ? '/healthz' : '/readyz')
    const ports = new Map(container?.ports?.map(({ name, containerPort }) => [name, containerPort]))
    expect(ports.get(String(readinessProbe?.httpGet?.port))).toBe(9090)
    expect(pod?.topologySpreadConstraints?.[0]?.labelSelector).toEqual(spec?.selector ?? {})
    const sleepS = Number(lifecycle?.preStop?.exec?.command?.[1] ?? 0)
    expect(pod?.terminationGracePeriodSeconds).toBeGreaterThan(sleepS + STOP_GRACE_S)
  })

  test('keep enough of them when nodes are drained', () => {
    const budget = named<PodDisruptionBudget>('PodDisruptionBudget', role)
    expect(budget.spec).toEqual({ maxUnavailable: 1, selector: spec?.selector ?? {} })
  })
})

test('the gateways and the management API are reached through services', () => {
  for (const role of ['gateway', 'api']) {
    const { spec } = named<Service>('Service', role)
    const [, deployment] = DEPLOYMENTS.find(([name]) => name === role) ?? []
    expect(spec?.selector).toEqual(deployment?.spec?.selector.matchLabels ?? {})
    const ports = deployment?.spec?.template.spec?.containers[0]?.ports
    expect(ports?.map(({ name }) => name)).toContain(spec?.ports?.[0]?.targetPort as string)
  }
})

test('couriers are scaled by the age of the backlog, a metric that they have', () => {
  const { spec } = named<HorizontalPodAutoscaler>('HorizontalPodAutoscaler', 'courier')
  expect(spec?.scaleTargetRef.name).toBe('headgate-courier')
  const name = spec?.metrics?.[0]?.external?.metric.name ?? ''
  expect(METRICS).toHaveProperty(name, expect.objectContaining({ kind: 'gauge' }))
  const adapter = parse(read(`${FOLDER}/examples/prometheus-adapter.yaml`))
  const [rule] = adapter.rules.external
  expect(rule.name.as).toBe(name)
  expect(rule.seriesQuery).toStartWith(`${name}{`)
})

test('a secret as in the example makes the configuration whole', () => {
  const [secret] = EXAMPLES.filter(({ kind }) => kind === 'Secret') as unknown as [
    { stringData: Record<string, string> },
  ]
  const filled = { ...secret.stringData, HEADGATE_SECRET: 'a'.repeat(64) }
  expect(optionFaults(configuration(), filled)).toEqual([])
})

/** The errors of the compiler, which knows no member but those of the manifest's kind. */
function compileFaults(manifests: readonly Manifest[]): string {
  const cache = join(ROOT, 'node_modules/.cache')
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'manifests-'))
  try {
    const kinds = join(ROOT, 'tests/packaging/manifest-kinds.ts')
    const lines = manifests.map((manifest, at) => {
      const kind = `${manifest.apiVersion} ${manifest.kind}`
      return `export const m${at}: ManifestKinds['${kind}'] = ${JSON.stringify(manifest)}`
    })
    const source = [`import type { ManifestKinds } from '${kinds}'`, ...lines].join('\n')
    writeFileSync(join(folder, 'manifests.ts'), source)
    const flags =
      '--ignoreConfig --noEmit --strict --module preserve --allowImportingTsExtensions --types '
    const command = [join(ROOT, 'node_modules/.bin/tsc'), ...flags.split(' '), 'manifests.ts']
    const { stdout, stderr } = Bun.spawnSync(command, { cwd: folder })
    return `${stdout}${stderr}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function configuration(): Record<string, unknown> {
  const found = MANIFESTS.find(({ kind }) => kind === 'ConfigMap') as unknown as {
    data: Record<string, string>
  }
  return parse(found.data['headgate.yaml'] ?? '')
}

function named<T>(kind: string, role: string): T {
  const name = `headgate-${role}`
  const found = MANIFESTS.find((one) => one.kind === kind && one.metadata.name === name)
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`)
  return found as T
}

function manifestsIn(folder: string): Manifest[] {
  const files = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.yaml'))
  return files.flatMap((name) =>
    parseAllDocuments(read(`${folder}/${name}`)).map((document) => document.toJS() as Manifest),
  )
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}
