import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** A Markdown file of the project and the address of its page. */
export type SitePage = { file: string; path: string }

export type SiteGroup = { name: string; pages: readonly SitePage[] }

/** The order in which a reader meets the pages; files that are not named come last. */
const GROUPS: readonly { name: string; files: readonly string[] }[] = [
  { name: 'Start here', files: ['README.md', 'docs/guides/first-webhook.md', 'docs/concepts.md'] },
  {
    name: 'Guides',
    files: [
      'docs/guides/reorganisations.md',
      'docs/receiving-webhooks.md',
      'docs/cookbook.md',
      'docs/guides/move-from-a-hosted-service.md',
      'docs/guides/production.md',
    ],
  },
  {
    name: 'Manual',
    files: [
      'docs/local-development.md',
      'docs/command-line.md',
      'docs/dashboard.md',
      'docs/api.md',
      'packages/client/README.md',
    ],
  },
  { name: 'Operating', files: ['docs/operating.md', 'docs/deploying.md', 'docs/scaling.md'] },
  {
    name: 'Project',
    files: ['CHANGELOG.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'bench/README.md'],
  },
]

/** Addresses that do not follow from the name of the file. */
const PATHS: Readonly<Record<string, string>> = {
  'README.md': '/docs',
  'bench/README.md': '/docs/benchmarks',
  'packages/client/README.md': '/docs/client',
}

/** Every page of the site, in groups; a file that is not there is left out. */
export function siteMap(root: string): readonly SiteGroup[] {
  const named = GROUPS.flatMap(({ files }) => files)
  const found = [...new Bun.Glob('docs/**/*.md').scanSync({ cwd: root })].sort()
  const others = found.filter((file) => !named.includes(file))
  return [...GROUPS, { name: 'More', files: others }]
    .map(({ name, files }) => ({
      name,
      pages: files
        .filter((file) => existsSync(join(root, file)))
        .map((file) => ({ file, path: pathOf(file) })),
    }))
    .filter(({ pages }) => pages.length > 0)
}

function pathOf(file: string): string {
  const known = PATHS[file]
  if (known !== undefined) return known
  const name = file.replace(/^docs\//, '').replace(/\.md$/, '')
  return `/docs/${name.toLowerCase()}`
}
