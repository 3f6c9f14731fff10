// tables.js - the small tables of the lectures, as CSV; those of examples/data.
export const census = `gender,hours,wealth,probability
female,<=40.5,poor,0.253122
female,<=40.5,rich,0.0245895
female,>40.5,poor,0.0421768
female,>40.5,rich,0.0116293
male,<=40.5,poor,0.331313
male,<=40.5,rich,0.0971295
male,>40.5,poor,0.134106
male,>40.5,rich,0.105933`;
export const tax = `refund,marital,income,evade
yes,single,125,no
no,married,100,no
no,single,70,no
yes,married,120,no
no,divorced,95,yes
no,married,60,no
yes,divorced,220,no
no,single,85,yes
no,married,75,no
no,single,90,yes`;
// Quinlan's days; Mitchell, Machine Learning, table 3.2.
export const tennis = `outlook,temperature,humidity,wind,play
sunny,hot,high,weak,no
sunny,hot,high,strong,no
overcast,hot,high,weak,yes
rain,mild,high,weak,yes
rain,cool,normal,weak,yes
rain,cool,normal,strong,no
overcast,cool,normal,strong,yes
sunny,mild,high,weak,no
sunny,cool,normal,weak,yes
rain,mild,normal,weak,yes
sunny,mild,normal,strong,yes
overcast,mild,high,strong,yes
overcast,hot,normal,weak,yes
rain,mild,high,strong,no`;
// Mitchell, Machine Learning, table 2.1.
export const sport = `sky,air,humidity,wind,water,forecast,enjoy
sunny,warm,normal,strong,warm,same,yes
sunny,warm,high,strong,warm,same,yes
rainy,cold,high,strong,warm,change,no
sunny,warm,high,strong,cool,change,yes`;
export const rooms = `width,length,comfortable
3,4,yes
4,5,yes
5,6,yes
4,7,yes
6,5,yes
3.5,6.5,yes
5.5,4.5,yes
4.5,5.5,yes
6,6.5,yes
3.2,5,yes
5,4.2,yes
5.8,5.7,yes
1,5,no
2,2,no
5,1,no
8,5,no
4,9,no
9,9,no
1,8,no
7.5,2,no
9,6.5,no
2,9.5,no
6.5,8.8,no
8.5,3.5,no
1.5,3.5,no
3.5,1.5,no
9,1,no
7.8,7,no`;
// Russell and Norvig, Artificial Intelligence, figure 14.2.
export const alarm = `network burglary
B: b no_b
E: e no_e
A: a no_a
J: j no_j
M: m no_m
B = .001
E = .002
A | B E
  b e = .95
  b no_e = .94
  no_b e = .29
  no_b no_e = .001
J | A
  a = .9
  no_a = .05
M | A
  a = .7
  no_a = .01`;
export const sports = `text,tag
"A great game",Sports
"The election was over",Not sports
"Very clean match",Sports
"A clean but forgettable game",Sports
"It was a close election",Not sports`;
// Petals of Fisher's irises.
export const petals = `petal_length,petal_width,species
1.4,0.2,setosa
1.4,0.2,setosa
1.3,0.2,setosa
1.5,0.2,setosa
1.4,0.2,setosa
1.7,0.4,setosa
1.4,0.3,setosa
1.5,0.2,setosa
1.4,0.2,setosa
1.5,0.1,setosa
1.5,0.2,setosa
1.6,0.2,setosa
1.4,0.1,setosa
1.1,0.1,setosa
1.2,0.2,setosa
1.5,0.4,setosa
1.3,0.4,setosa
1.4,0.3,setosa
1.7,0.3,setosa
1.5,0.3,setosa
1.7,0.2,setosa
1.5,0.4,setosa
1.0,0.2,setosa
1.7,0.5,setosa
1.9,0.2,setosa
1.6,0.2,setosa
1.6,0.4,setosa
1.5,0.2,setosa
1.4,0.2,setosa
1.6,0.2,setosa
1.6,0.2,setosa
1.5,0.4,setosa
1.5,0.1,setosa
1.4,0.2,setosa
1.5,0.1,setosa
1.2,0.2,setosa
1.3,0.2,setosa
1.5,0.1,setosa
1.3,0.2,setosa
1.5,0.2,setosa
1.3,0.3,setosa
1.3,0.3,setosa
1.3,0.2,setosa
1.6,0.6,setosa
1.9,0.4,setosa
1.4,0.3,setosa
1.6,0.2,setosa
1.4,0.2,setosa
1.5,0.2,setosa
1.4,0.2,setosa
4.7,1.4,versicolor
4.5,1.5,versicolor
4.9,1.5,versicolor
4.0,1.3,versicolor
4.6,1.5,versicolor
4.5,1.3,versicolor
4.7,1.6,versicolor
3.3,1.0,versicolor
4.6,1.3,versicolor
3.9,1.4,versicolor
3.5,1.0,versicolor
4.2,1.5,versicolor
4.0,1.0,versicolor
4.7,1.4,versicolor
3.6,1.3,versicolor
4.4,1.4,versicolor
4.5,1.5,versicolor
4.1,1.0,versicolor
4.5,1.5,versicolor
3.9,1.1,versicolor
4.8,1.8,versicolor
4.0,1.3,versicolor
4.9,1.5,versicolor
4.7,1.2,versicolor
4.3,1.3,versicolor
4.4,1.4,versicolor
4.8,1.4,versicolor
5.0,1.7,versicolor
4.5,1.5,versicolor
3.5,1.0,versicolor
3.8,1.1,versicolor
3.7,1.0,versicolor
3.9,1.2,versicolor
5.1,1.6,versicolor
4.5,1.5,versicolor
4.5,1.6,versicolor
4.7,1.5,versicolor
4.4,1.3,versicolor
4.1,1.3,versicolor
4.0,1.3,versicolor
4.4,1.2,versicolor
4.6,1.4,versicolor
4.0,1.2,versicolor
3.3,1.0,versicolor
4.2,1.3,versicolor
4.2,1.2,versicolor
4.2,1.3,versicolor
4.3,1.3,versicolor
3.0,1.1,versicolor
4.1,1.3,versicolor
6.0,2.5,virginica
5.1,1.9,virginica
5.9,2.1,virginica
5.6,1.8,virginica
5.8,2.2,virginica
6.6,2.1,virginica
4.5,1.7,virginica
6.3,1.8,virginica
5.8,1.8,virginica
6.1,2.5,virginica
5.1,2.0,virginica
5.3,1.9,virginica
5.5,2.1,virginica
5.0,2.0,virginica
5.1,2.4,virginica
5.3,2.3,virginica
5.5,1.8,virginica
6.7,2.2,virginica
6.9,2.3,virginica
5.0,1.5,virginica
5.7,2.3,virginica
4.9,2.0,virginica
6.7,2.0,virginica
4.9,1.8,virginica
5.7,2.1,virginica
6.0,1.8,virginica
4.8,1.8,virginica
4.9,1.8,virginica
5.6,2.1,virginica
5.8,1.6,virginica
6.1,1.9,virginica
6.4,2.0,virginica
5.6,2.2,virginica
5.1,1.5,virginica
5.6,1.4,virginica
6.1,2.3,virginica
5.6,2.4,virginica
5.5,1.8,virginica
4.8,1.8,virginica
5.4,2.1,virginica
5.6,2.4,virginica
5.1,2.3,virginica
5.1,1.9,virginica
5.9,2.3,virginica
5.7,2.5,virginica
5.2,2.3,virginica
5.0,1.9,virginica
5.2,2.0,virginica
5.4,2.3,virginica
5.1,1.8,virginica`;
