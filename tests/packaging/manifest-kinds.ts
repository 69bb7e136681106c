import type { Deployment } from 'kubernetes-types/apps/v1'
import type { HorizontalPodAutoscaler } from 'kubernetes-types/autoscaling/v2'
import type { ConfigMap, Secret, Service } from 'kubernetes-types/core/v1'
import type { Ingress } from 'kubernetes-types/networking/v1'
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1'

/** The kinds of objects that the manifests have, each with the type that Kubernetes gives it. */
export type ManifestKinds = {
  'apps/v1 Deployment': Deployment
  'autoscaling/v2 HorizontalPodAutoscaler': HorizontalPodAutoscaler
  'networking.k8s.io/v1 Ingress': Ingress
  'policy/v1 PodDisruptionBudget': PodDisruptionBudget
  'v1 ConfigMap': ConfigMap
  'v1 Secret': Secret
  'v1 Service': Service
}
