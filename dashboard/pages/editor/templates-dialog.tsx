import { Dialog } from '../../parts/dialog.tsx'
import { Tag } from '../../parts/state.tsx'
import { RECIPE_GROUPS, type Recipe } from './recipes.ts'

export function TemplatesDialog(props: { onChoose(recipe: Recipe): void; onClose(): void }) {
  return (
    <Dialog title="Start from a template" isWide onClose={props.onClose}>
      <div class="col g16">
        <p class="hint">
          A template replaces the query. Contracts in it are those of Ethereum’s main network.
        </p>
        {RECIPE_GROUPS.map(({ title, recipes }) => (
          <section key={title} class="col g8" aria-label={title}>
            <h3>{title}</h3>
            <div class="tmpl">
              {recipes.map((recipe) => (
                <TemplateCard key={recipe.id} recipe={recipe} onChoose={props.onChoose} />
              ))}
            </div>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

function TemplateCard(props: { recipe: Recipe; onChoose(recipe: Recipe): void }) {
  const { title, looksAt, finds, variables } = props.recipe
  return (
    <button class="tcard" type="button" onClick={() => props.onChoose(props.recipe)}>
      <span class="row wrap">
        <b>{title}</b>
        <Tag>{looksAt}</Tag>
      </span>
      <span class="quiet">{finds}</span>
      {variables.length > 0 && (
        <span class="faint tiny">
          With a list of yours: {variables.map((name) => `$${name}`).join(', ')}
        </span>
      )}
    </button>
  )
}
