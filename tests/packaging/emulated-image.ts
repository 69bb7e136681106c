import {
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A line of a Dockerfile. */
export type DockerInstruction = { name: string; text: string }

/** An image without Docker: its files under a folder, and how its program is run. */
export type EmulatedImage = {
  root: string
  env: Readonly<Record<string, string>>
  user: string
  workdir: string
  entrypoint: readonly string[]
  healthcheck: readonly string[]
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The folders of a system that the program needs; the rest of the root is the image's own. */
const SYSTEM_FOLDERS = ['bin', 'dev', 'etc', 'lib', 'lib64', 'proc', 'usr']

/**
 * Makes the image's root the root of one process: all of it read-only but /data, /tmp and what the
 * kernel shows there.
 */
const ENTER = `set -e
root=$1 data=$2 user=$3; shift 3
mount --bind "$root" "$root"
for part in ${SYSTEM_FOLDERS.join(' ')}; do
  [ -d "/$part" ] && [ ! -L "/$part" ] || continue
  mount --rbind "/$part" "$root/$part"
  case $part in dev|proc) ;; *) mount -o remount,bind,ro "$root/$part" ;; esac
done
mount --bind "$data" "$root/data"
mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec chroot $user "$root" "$@"`

const IS_ROOT = process.getuid?.() === 0

/** A user who is not root gets a name space in which it seems to be. */
const UNSHARE = ['unshare', ...(IS_ROOT ? [] : ['--map-root-user']), '--mount']

/** Whether processes with a root of their own can be made here. */
export function canEnterImages(): boolean {
  if (process.platform !== 'linux') return false
  const probe = 'mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp'
  return Bun.spawnSync([...UNSHARE, 'sh', '-c', probe]).exitCode === 0
}

export function instructionsOf(dockerfile: string): DockerInstruction[] {
  const lines = dockerfile.replaceAll(/^#.*\n/gm, '').replaceAll(/\\\n\s*/g, '')
  return [...lines.matchAll(/^(\w+)\s+(.+)$/gm)].map((line) => ({
    name: line[1] ?? '',
    text: line[2] ?? '',
  }))
}

/** Does what the Dockerfile says, in a folder. The packages are those that are installed here. */
export function emulateImage(folder: string): EmulatedImage {
  // Other tests of this process may have closed new files to others, as the product does.
  process.umask(0o022)
  const stages: DockerInstruction[][] = []
  for (const instruction of instructionsOf(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))) {
    if (instruction.name === 'FROM') stages.push([])
    stages.at(-1)?.push(instruction)
  }
  const [build = [], final = []] = stages
  const built = join(folder, 'build')
  mkdirSync(built)
  for (const { name, text } of build) runStep(built, name, text)

  const root = join(folder, 'root')
  mkdirSync(join(root, 'tmp'), { recursive: true })
  for (const part of SYSTEM_FOLDERS) makeSystemFolder(root, part)
  for (const { name, text } of final) if (name === 'COPY') copyFromBuild(folder, text)
  return { root, ...settingsOf(final) }
}

/** The words that run a command as a container of the image would, with more variables. */
export function inImage(
  { root, env, user, workdir }: EmulatedImage,
  data: string,
  command: readonly string[],
  more: Readonly<Record<string, string>>,
): string[] {
  const variables = Object.entries({ ...env, ...more }).map(([name, value]) => `${name}=${value}`)
  const userWords = IS_ROOT ? `--userspec=${user}` : ''
  const shell = ['sh', '-c', ENTER, 'enter', root, data, userWords]
  return [...UNSHARE, ...shell, 'env', '-i', '-C', workdir, ...variables, ...command]
}

function runStep(built: string, name: string, text: string): void {
  if (name === 'COPY') {
    const paths = text.split(' ').slice(0, -1)
    for (const path of paths) copyFromContext(path, join(built, basename(path)))
  }
  // The packages have been installed by the same command before any test was run.
  if (name === 'RUN' && text.startsWith('npm ci')) {
    symlinkSync(join(ROOT, 'node_modules'), join(built, 'node_modules'))
  } else if (name === 'RUN') {
    const { exitCode, stderr } = Bun.spawnSync(['sh', '-c', text], { cwd: built })
    if (exitCode !== 0) throw new Error(`RUN ${text}: ${stderr}`)
  }
}

/** The place of a folder of the system, or a link where the system has one, as /bin often is. */
function makeSystemFolder(root: string, part: string): void {
  const found = lstatSync(`/${part}`, { throwIfNoEntry: false })
  if (found?.isSymbolicLink()) symlinkSync(readlinkSync(`/${part}`), join(root, part))
  else if (found !== undefined) mkdirSync(join(root, part))
}

function copyFromContext(path: string, to: string): void {
  const ignore = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n')
  if (!ignore.includes(`!${path}`)) throw new Error(`.dockerignore keeps ${path} out`)
  cpSync(join(ROOT, path), to, { recursive: true, filter: (name) => !name.endsWith('.test.ts') })
}

function copyFromBuild(folder: string, text: string): void {
  const words = text.split(' ')
  const [from = '', to = ''] = words.filter((word) => !word.startsWith('--'))
  const target = join(folder, 'root', to)
  cpSync(join(folder, from), target, { recursive: true })
  const [, uid, gid] = /--chown=(\d+):(\d+)/.exec(text) ?? []
  if (IS_ROOT && uid !== undefined) chownSync(target, Number(uid), Number(gid))
}

function settingsOf(final: readonly DockerInstruction[]): Omit<EmulatedImage, 'root'> {
  const textOf = (name: string) => final.findLast((one) => one.name === name)?.text ?? ''
  const env = textOf('ENV').split(/\s+/)
  const healthcheck = /CMD (\[.+\])$/.exec(textOf('HEALTHCHECK'))?.[1] ?? '[]'
  return {
    env: Object.fromEntries(env.map((pair) => pair.split('=') as [string, string])),
    user: textOf('USER'),
    workdir: textOf('WORKDIR'),
    entrypoint: JSON.parse(textOf('ENTRYPOINT')),
    healthcheck: JSON.parse(healthcheck),
  }
}
