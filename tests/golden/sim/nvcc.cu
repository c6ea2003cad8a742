#include <cuda_fp16.h>
#include <cuda_bf16.h>
extern "C" __global__ void vadd(const float4*x,const float4*y,float4*z,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n){float4 a=x[i],b=y[i];a.x+=b.x;a.y+=b.y;a.z+=b.z;a.w+=b.w; z[i]=a;}}
extern "C" __global__ void collatz(const unsigned*x,unsigned*y,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i>=n)return; unsigned v=x[i],c=0; while(v>1){ if(v&1) v=3*v+1; else v>>=1; c++; if(c>1000)break;} y[i]=c;}
extern "C" __global__ void h(const __half*x,const __half2*y,__half*z,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n){ __half2 q=y[i]; z[i]=__hfma(x[i],__low2half(q),__high2half(q)); }}
extern "C" __global__ void bf(const __nv_bfloat16*x,const float*y,__nv_bfloat16*z,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n){ z[i]=__float2bfloat16(__expf(__bfloat162float(x[i]))/y[i]+tanhf(y[i])); }}
extern "C" __global__ void sm(const float*x,float*y,int n){__shared__ float s[256]; int t=threadIdx.x; float v=0; for(int i=t;i<n;i+=blockDim.x)v+=x[i]; s[t]=v; __syncthreads(); for(int k=128;k;k>>=1){ if(t<k)s[t]+=s[t+k]; __syncthreads(); } if(!t) y[blockIdx.x]=s[0]; }
extern "C" __global__ void d64(const double*x,const long long*k,double*z,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n){ z[i]=sqrt(x[i])/(double)(k[i]|1)+fma(x[i],2.0,1.0); }}
__device__ __noinline__ float helper(float a,int b){ return b? a*2.f: a/3.f; }
extern "C" __global__ void call(const float*x,float*z,int n){int i=blockIdx.x*blockDim.x+threadIdx.x; if(i<n) z[i]=helper(x[i],i&1);}
